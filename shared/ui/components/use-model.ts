import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Model } from '../state/model.ts'

export const ModelContext = createContext<Model | undefined>(undefined)

export function useModel(): Model {
  const model = useContext(ModelContext)
  if (model === undefined) throw new Error('No model above this component')
  return model
}
