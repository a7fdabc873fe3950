import { setTimeout as sleep } from 'node:timers/promises'
import { linksOf } from './html.ts'
import type { MailpitList, MailpitMessage } from './mail-store.ts'

const pollMs = 25
/** Control sends this mail some moments after a sign-in, between the mails that tests wait for. */
const signInNotice = 'New sign-in to your account'

export interface LatestMailOptions {
  /** 5000 by default. */
  timeoutMs?: number
  /** If given, only a newer mail than this one counts. */
  newerThan?: Pick<MailpitMessage, 'ID'>
}

/**
 * Returns the newest mail to an address, from the mailbox or from Mailpit, except notices of sign-ins. Waits until
 * there is one.
 *
 * @param mailboxUrl the origin of the mailbox
 * @throws Error if no mail comes within the timeout
 */
export async function latestMail(
  mailboxUrl: string,
  address: string,
  { timeoutMs = 20_000, newerThan }: LatestMailOptions = {}
): Promise<MailpitMessage> {
  const deadline = performance.now() + timeoutMs
  const search = `${mailboxUrl}/api/v1/search?limit=200&query=${encodeURIComponent(`to:"${address}"`)}`
  while (true) {
    const { messages } = await getJson<MailpitList>(search)
    // The search also finds longer addresses that contain this one.
    const newest = messages.find(
      ({ To, Subject }) =>
        Subject !== signInNotice && To.some(({ Address }) => Address.toLowerCase() === address.toLowerCase())
    )
    if (newest !== undefined && newest.ID !== newerThan?.ID) {
      return getJson<MailpitMessage>(`${mailboxUrl}/api/v1/message/${newest.ID}`)
    }
    if (performance.now() >= deadline) throw new Error(`No mail to ${address} came within ${timeoutMs} ms.`)
    await sleep(pollMs)
  }
}

/** @throws Error if the mail has no link */
export function linkIn({ HTML, Subject }: Pick<MailpitMessage, 'HTML' | 'Subject'>): URL {
  const [link] = linksOf(HTML)
  if (link === undefined) throw new Error(`The mail "${Subject}" has no link.`)
  return new URL(link)
}

async function getJson<Body>(url: string): Promise<Body> {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`GET ${url} answered ${response.status}: ${await response.text()}`)
  return response.json() as Promise<Body>
}
