import { useEffect, useState } from 'preact/hooks'
import { useModel } from './use-model.ts'

/** The words a phrase is made of. Completion is a help: without it the words are typed in full. */
export function usePhraseWords(): readonly string[] {
  const { shell } = useModel()
  const [list, setList] = useState<readonly string[]>([])
  useEffect(() => {
    shell.phraseWords?.().then(setList, () => undefined)
  }, [])
  return list
}
