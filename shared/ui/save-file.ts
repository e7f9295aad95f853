const KEPT_MS = 60_000

/** Hands a file to the browser, which asks where it goes, or puts it where downloads go. */
export function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS) // the browser reads it after the click
}
