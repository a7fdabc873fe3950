import { once } from 'node:events'
import { createServer } from 'node:net'
import { listen } from '@tollgate/service/http/listen.ts'

/**
 * Checks that workers can share a port. They would also share it with workers of another gateway, without an error.
 *
 * @throws Error that says what to do if the port is taken, or if this system lets no processes share one
 */
export async function checkSharedPort(host: string, port: number): Promise<void> {
  await tryPort(host, port, false)
  try {
    await tryPort(host, port, true)
  } catch (cause) {
    throw new Error(
      'GATEWAY_WORKERS: this system does not let processes share a port; Linux and FreeBSD do. Set GATEWAY_WORKERS=1, ' +
        'and start several gateways on ports of their own.',
      { cause }
    )
  }
}

async function tryPort(host: string, port: number, reusePort: boolean): Promise<void> {
  const server = createServer()
  await listen(
    {
      async listen(options) {
        server.listen(options)
        await once(server, 'listening')
        return ''
      }
    },
    { host, port, portVariable: 'GATEWAY_PORT', reusePort }
  )
  server.close()
  await once(server, 'close')
}
