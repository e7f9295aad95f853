/** The words with their numbers, four to a row, as one writes them on paper. */
export function PhraseWords({ words }: { readonly words: readonly string[] }) {
  return (
    <ol class="phrase" translate={false} lang="en" dir="ltr">
      {words.map((word, index) => (
        <li key={index}>
          <span class="phrase-number">{index + 1}</span>
          <span class="phrase-word">{word}</span>
        </li>
      ))}
    </ol>
  )
}
