import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

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
