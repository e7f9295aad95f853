/** Whose name has what was typed in it, whatever its case and accents. */
export function findPeople<P extends { readonly name: string }>(people: readonly P[], typed: string): readonly P[] {
  const wanted = plain(typed)
  return wanted === '' ? people : people.filter(({ name }) => plain(name).includes(wanted))
}

function plain(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').trim().toLowerCase()
}
