/** What a picture of a group may take (MLS23). */
const MAX_BYTES = 16 * 1024
const MAX_FILE_BYTES = 32 * 1024 * 1024
/** Sides in px, and how well it is drawn: the first that fits is taken. */
const SIDES = [256, 192, 128, 96] as const
const QUALITIES = [0.9, 0.75, 0.6, 0.45] as const
const TYPES = ['image/webp', 'image/jpeg'] as const

/**
 * A square out of the middle of a picture, drawn anew: nothing of the file goes along, neither where and with what it was taken nor
 * anything else beside its pixels.
 * @throws { code: 'group/avatar' } for what the browser does not show as a picture
 */
export async function squarePicture(file: Blob): Promise<Uint8Array> {
  const bitmap = file.size > MAX_FILE_BYTES ? undefined : await createImageBitmap(file).catch(() => undefined)
  if (bitmap === undefined) throw { code: 'group/avatar' }
  try {
    for (const side of SIDES) {
      const canvas = draw(bitmap, side)
      for (const type of TYPES) {
        for (const quality of QUALITIES) {
          const made = await new Promise<Blob | null>((done) => canvas.toBlob(done, type, quality))
          // A browser that can't make the one kind makes another one instead.
          if (made?.type === type && made.size <= MAX_BYTES) return new Uint8Array(await made.arrayBuffer())
        }
      }
    }
  } finally {
    bitmap.close()
  }
  throw { code: 'group/avatar' }
}

function draw(bitmap: ImageBitmap, side: number): HTMLCanvasElement {
  const canvas = document.createElement('canvas')
  canvas.width = side
  canvas.height = side
  const pen = canvas.getContext('2d')
  if (pen === null) throw { code: 'group/avatar' }
  const from = Math.min(bitmap.width, bitmap.height)
  pen.fillStyle = 'white' // under what is see-through: one of the two kinds knows no such thing
  pen.fillRect(0, 0, side, side)
  pen.imageSmoothingQuality = 'high'
  pen.drawImage(bitmap, (bitmap.width - from) / 2, (bitmap.height - from) / 2, from, from, 0, 0, side, side)
  return canvas
}
