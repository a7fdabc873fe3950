import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { startIdentity } from '@tollgate/sandbox/identity/start-identity.ts'
import type { TestSystem } from '../start-test-system.ts'

/** A server that gets webhooks. */
export interface Receiver {
  readonly url: string
  /** What it answers. */
  status: number
  /** The types of the events that it got. */
  readonly types: string[]
}

/** Starts a server for webhooks on this machine. */
export async function startReceiver(t: { teardown(handler: () => Promise<void>): void }): Promise<Receiver> {
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    receiver.types.push(String((JSON.parse(Buffer.concat(parts).toString()) as { type: unknown }).type))
    response.writeHead(receiver.status).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const { port } = server.address() as AddressInfo
  const receiver: Receiver = { url: `http://127.0.0.1:${port}/webhooks`, status: 200, types: [] }
  return receiver
}

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
