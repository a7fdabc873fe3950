import { useCallback, useEffect, useRef, useState } from 'react'
import { ApiError, explain } from '../../api/api-error.ts'
import { type Gateway, listModels } from './stream-chat.ts'

export type Models = {
  /** Null as long as they are not known. */
  readonly names: readonly string[] | null
  readonly problem: string | null
  readonly isLoading: boolean
  /** Asks once more; null where that would not help. */
  readonly retry: (() => void) | null
}

const none: Models = { names: null, problem: null, isLoading: false, retry: null }
/** As a key is written; the gateway knows more. */
const keyForm = /^tg_[0-9A-Za-z]{49}$/

/**
 * The models that a key may call, asked for as soon as it is whole. Not a query: those keep what they were asked, and a key
 * must be gone when the page is.
 */
export function useModels({ url, key }: Gateway): Models {
  const [models, setModels] = useState<Models>(none)
  const asking = useRef<AbortController | null>(null)
  const load = useCallback(async (): Promise<void> => {
    asking.current?.abort()
    const abort = new AbortController()
    asking.current = abort
    // An answer to what was asked before is not for the present key.
    const set = (next: Models) => {
      if (!abort.signal.aborted) setModels(next)
    }
    if (!keyForm.test(key)) return set(key === '' ? none : { ...none, problem: describeKey(key) })
    set({ ...none, isLoading: true })
    try {
      set({ ...none, names: await listModels({ url, key }, abort.signal) })
    } catch (error) {
      set({ ...none, problem: explain(error), retry: mayHelp(error) ? () => void load() : null })
    }
  }, [url, key])
  useEffect(() => {
    void load()
    return () => asking.current?.abort()
  }, [load])
  return models
}

const mayHelp = (error: unknown): boolean => !(error instanceof ApiError) || error.isTemporary || error.status === 429

const describeKey = (key: string): string =>
  key.startsWith('tgm_')
    ? 'This is a management key: it calls no models.'
    : 'This is not a whole key yet. Keys begin with tg_ and have 52 characters.'
