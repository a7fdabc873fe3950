import type { MailpitList } from '@tollgate/sandbox/mailbox/mail-store.ts'
import type { ChaosSystem } from '../system/chaos-system.ts'

/** Lists mails of the mailbox. @param address only those to it; null for all */
export async function listMails(
  { system }: Pick<ChaosSystem, 'system'>,
  address: string | null = null
): Promise<MailpitList> {
  const path = address === null ? 'messages?limit=1' : `search?limit=200&query=${encodeURIComponent(`to:"${address}"`)}`
  const response = await fetch(`${system.addresses.mailbox}/api/v1/${path}`)
  return (await response.json()) as MailpitList
}
