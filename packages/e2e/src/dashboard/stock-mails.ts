import { join } from 'node:path'
import { startIdentity } from '@tollgate/sandbox/identity/start-identity.ts'
import type { TestSystem } from '../start-test-system.ts'

/**
 * Replaces the identity provider by one with the same users and Supabase's stock templates. The links of its e-mails
 * redirect with a session in the fragment of the address.
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
  t.teardown(async () => {
    await identity.close()
    await part('identity').start()
  })
}
