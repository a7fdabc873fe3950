import { useCallback, useEffect, useRef, useState } from 'react'
import { ApiError, explain } from '../../api/api-error.ts'
import { type Gateway, listModels } from './stream-chat.ts'

export interface Models {
  /** Null while unknown. */
  readonly names: readonly string[] | null
  readonly problem: string | null
  readonly isLoading: boolean
  /** Loads the models again; null if a retry cannot help. */
  readonly retry: (() => void) | null
}

const none: Models = { names: null, problem: null, isLoading: false, retry: null }
/** The format of a key. Only the gateway can tell whether it is valid. */
const keyForm = /^tg_[0-9A-Za-z]{49}$/

/**
 * The models that a key may call, loaded as soon as the key is complete. This is not a query, because the query cache would
 * keep the key after the page is left.
 */
export function useModels({ url, key }: Gateway): Models {
  const [models, setModels] = useState<Models>(none)
  const asking = useRef<AbortController | null>(null)
  const load = useCallback(async (): Promise<void> => {
    asking.current?.abort()
    const abort = new AbortController()
    asking.current = abort
    // A late answer must not apply to a newer key.
    const set = (next: Models) => {
      if (!abort.signal.aborted) setModels(next)
    }
    if (!keyForm.test(key)) return set(key === '' ? none : { ...none, problem: describeKey(key) })
    set({ ...none, isLoading: true })
    try {
      set({ ...none, names: await listModels({ url, key }, abort.signal) })
    } catch (error) {
      set({ ...none, problem: explain(error), retry: canRetry(error) ? () => void load() : null })
    }
  }, [url, key])
  useEffect(() => {
    void load()
    return () => asking.current?.abort()
  }, [load])
  return models
}

const canRetry = (error: unknown): boolean => !(error instanceof ApiError) || error.isTemporary || error.status === 429

const describeKey = (key: string): string =>
  key.startsWith('tgm_')
    ? 'This is a management key. It cannot call models.'
    : 'This key is incomplete. API keys start with tg_ and have 52 characters.'
