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
  /** Asks which tabs wait. */
  | { readonly kind: 'search'; readonly id: string }
  | { readonly kind: 'here' | 'confirmed' | 'failed'; readonly id: string; readonly tab: string }
  | { readonly kind: 'confirm'; readonly id: string; readonly tab: string; readonly confirmation: Confirmation }

/**
 * Confirms the address with the password of this tab as soon as the mailed link is opened in another one.
 *
 * @param onConfirmed called once this browser is signed in
 * @returns a function that stops waiting
 */
export function confirmForOtherTabs(password: string, onConfirmed: () => void): () => void {
  const channel = new BroadcastChannel(channelName)
  const tab = newIdempotencyKey()
  channel.addEventListener('message', async ({ data }: MessageEvent<Message>) => {
    const answer = (kind: 'here' | 'confirmed' | 'failed') => channel.postMessage({ kind, id: data.id, tab })
    if (data.kind === 'search') return answer('here')
    if (data.kind !== 'confirm' || data.tab !== tab) return
    try {
      await call('confirm', { body: { ...data.confirmation, password, set: false } })
    } catch {
      // The other tab asks another one, or for the password, and shows what is wrong.
      answer('failed')
      return
    }
    answer('confirmed')
    channel.close()
    tellOtherTabs()
    onConfirmed()
  })
  return () => channel.close()
}

/** How long to wait for the first answer. A tab that can confirm answers in a few milliseconds. */
const answersWithinMs = 500
/** How long to wait for further tabs after the first one. */
const othersWithinMs = 100
/** Confirming waits for the identity provider. */
const confirmsWithinMs = 20_000

/**
 * Lets the tab in which somebody registered confirm. If several wait, each for another address, they try one after the
 * other: the link works for one of them, and calls at once would be in each other's way.
 *
 * @returns whether it did, and this browser is signed in
 */
export async function confirmInOtherTab(confirmation: Confirmation): Promise<boolean> {
  const channel = new BroadcastChannel(channelName)
  try {
    for (const tab of await findTabs(channel)) if (await confirmIn(tab, channel, confirmation)) return true
    return false
  } finally {
    channel.close()
  }
}

async function findTabs(channel: BroadcastChannel): Promise<string[]> {
  const id = newIdempotencyKey()
  const tabs: string[] = []
  return new Promise((resolve) => {
    let timer = setTimeout(() => resolve(tabs), answersWithinMs)
    channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
      if (data.kind !== 'here' || data.id !== id) return
      tabs.push(data.tab)
      clearTimeout(timer)
      timer = setTimeout(() => resolve(tabs), othersWithinMs)
    })
    channel.postMessage({ kind: 'search', id } satisfies Message)
  })
}

async function confirmIn(tab: string, channel: BroadcastChannel, confirmation: Confirmation): Promise<boolean> {
  const id = newIdempotencyKey()
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), confirmsWithinMs)
    channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
      if (data.id !== id || (data.kind !== 'confirmed' && data.kind !== 'failed')) return
      clearTimeout(timer)
      resolve(data.kind === 'confirmed')
    })
    channel.postMessage({ kind: 'confirm', id, tab, confirmation } satisfies Message)
  })
}
