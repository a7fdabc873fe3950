import { useEffect, useState } from 'react'
import { explain } from '../../api/api-error.ts'
import { type Gateway, listModels } from './stream-chat.ts'

export type Models = { readonly names: readonly string[]; readonly problem: string | null; readonly isLoading: boolean }

const none: Models = { names: [], problem: null, isLoading: false }
/** As a key is written; the gateway knows more. */
const keyForm = /^tg_[0-9A-Za-z]{49}$/

/**
 * The models that a key may call, asked for as soon as it is whole. Not a query: those keep what they were asked, and a key
 * must be gone when the page is.
 */
export function useModels({ url, key }: Gateway): Models {
  const [models, setModels] = useState<Models>(none)
  useEffect(() => {
    if (!keyForm.test(key)) {
      setModels(key === '' ? none : { ...none, problem: describeKey(key) })
      return
    }
    const abort = new AbortController()
    setModels({ ...none, isLoading: true })
    listModels({ url, key }, abort.signal).then(
      (names) => setModels({ ...none, names }),
      (error: unknown) => {
        if (!abort.signal.aborted) setModels({ ...none, problem: explain(error) })
      }
    )
    return () => abort.abort()
  }, [url, key])
  return models
}

const describeKey = (key: string): string =>
  key.startsWith('tgm_')
    ? 'This is a management key: it calls no models.'
    : 'This is not a whole key yet. Keys begin with tg_ and have 52 characters.'
