import { join } from 'node:path'
import { startIdentity } from '@tollgate/sandbox/identity/start-identity.ts'
import type { TestSystem } from '../start-test-system.ts'

/**
 * Puts an identity provider in the place of the system's that has the same users and sends its own mails: their links
 * bring a session in the fragment of the address.
 */
export async function sendStockMails(
  t: { teardown(handler: () => Promise<void>): void },
  { addresses, dataDir, secrets, part }: TestSystem
): Promise<void> {
  await part('identity').stop()
  const identity = await startIdentity({
    port: Number(new URL(addresses.identity).port),
    mailboxPort: Number(new URL(addresses.mailbox!).port),
    siteUrl: addresses.control,
    anonKey: secrets.anonKey,
    serviceRoleKey: secrets.serviceRoleKey,
    dataDir: join(dataDir, 'identity'),
    templates: 'stock'
  })
  t.teardown(() => identity.close())
}
