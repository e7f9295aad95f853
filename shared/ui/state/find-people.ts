import type { PersonView } from '#app/face.ts'

/** Whose name has what was typed in it, whatever its case and accents. */
export function findPeople(people: readonly PersonView[], typed: string): readonly PersonView[] {
  const wanted = plain(typed)
  return wanted === '' ? people : people.filter(({ name }) => plain(name).includes(wanted))
}

function plain(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').trim().toLowerCase()
}
