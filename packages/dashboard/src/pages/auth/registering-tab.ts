import { call } from '../../api/call.ts'
import { newIdempotencyKey } from '../../api/idempotency-key.ts'
import { tellOtherTabs } from '../../layout/tabs.ts'
import type { Confirmation } from './mail-link.ts'

/**
 * The tab in which somebody registered still knows the password. The mailed link opens another tab of the same browser,
 * which passes the link on: so nobody types the password twice, and it is stored nowhere. In another browser, or once
 * the first tab is closed, the link asks for the password.
 */
const channelName = 'registration'

type Message =
  | { readonly kind: 'confirm'; readonly id: string; readonly confirmation: Confirmation }
  /** `taken`: a tab tries. `failed`: it could not, so the other one asks for the password. */
  | { readonly kind: 'taken' | 'confirmed' | 'failed'; readonly id: string }

/**
 * Confirms the address with the password of this tab as soon as the mailed link is opened in another one.
 *
 * @param onConfirmed called once this browser is signed in
 * @returns a function that stops waiting
 */
export function confirmForOtherTabs(password: string, onConfirmed: () => void): () => void {
  const channel = new BroadcastChannel(channelName)
  channel.addEventListener('message', async ({ data }: MessageEvent<Message>) => {
    if (data.kind !== 'confirm') return
    const answer = (kind: 'taken' | 'confirmed' | 'failed') => channel.postMessage({ kind, id: data.id })
    answer('taken')
    try {
      await call('confirm', { body: { ...data.confirmation, password, set: false } })
    } catch {
      // The other tab asks for the password, and shows what is wrong.
      answer('failed')
      return
    }
    answer('confirmed')
    tellOtherTabs()
    onConfirmed()
  })
  return () => channel.close()
}

/** How long to wait for an answer. A tab that can confirm answers in a few milliseconds. */
const answersWithinMs = 500
/** Confirming waits for the identity provider. */
const confirmsWithinMs = 20_000

/** Lets the tab in which somebody registered confirm. @returns whether it did, and this browser is signed in */
export async function confirmInOtherTab(confirmation: Confirmation): Promise<boolean> {
  const channel = new BroadcastChannel(channelName)
  const id = newIdempotencyKey()
  const isConfirmed = await new Promise<boolean>((resolve) => {
    let timer = setTimeout(() => resolve(false), answersWithinMs)
    channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
      if (data.id !== id || data.kind === 'confirm') return
      clearTimeout(timer)
      if (data.kind === 'taken') timer = setTimeout(() => resolve(false), confirmsWithinMs)
      else resolve(data.kind === 'confirmed')
    })
    channel.postMessage({ kind: 'confirm', id, confirmation } satisfies Message)
  })
  channel.close()
  return isConfirmed
}
