import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import type { Ports } from '@tollgate/cli/system/ports.ts'
import { freePort } from '@tollgate/sandbox/free-port.ts'
import { startOtlpReceiver } from '@tollgate/service/testing/otlp-receiver.ts'
import { stringify } from 'yaml'
import type { Conditions } from '../system/chaos-system.ts'

/** The credential of the model server. */
const rightCredential = 'sandbox'

/** The settings that faults of alerts change while the system runs. */
export interface AlertSettings {
  /** The settings of the system. */
  readonly conditions: Conditions
  /** The upstream's credential at the gateways. They read it on SIGHUP. */
  useCredential(credential: 'right' | 'wrong'): void
  /** Whether the gateways have the upstream of the catalog. They read it on SIGHUP. */
  useUpstream(isThere: boolean): void
  /** Whether the payment provider refuses the key of the second replica of control. */
  refuseKey(isRefused: boolean): void
  /** Whether the OTLP collector takes receipts of requests. */
  useCollector(isWorking: boolean): void
  stop(): Promise<void>
}

/** @param directory for files */
export async function createAlertSettings(directory: string): Promise<AlertSettings> {
  const upstreamsFile = join(directory, 'upstreams.yaml')
  const credentialFile = join(directory, 'credential')
  const writeUpstreams = (name: string) =>
    writeFileSync(
      upstreamsFile,
      stringify({
        upstreams: {
          [name]: {
            base_url: 'http://127.0.0.1:9/v1',
            base_url_variable: 'OPENAI_BASE_URL',
            credential_file: credentialFile
          }
        }
      })
    )
  writeUpstreams('openai')
  writeFileSync(credentialFile, rightCredential)
  const payments = await startRefusingPayments()
  const collector = await startOtlpReceiver()
  return {
    conditions: {
      keys: 100,
      redisNetwork: true,
      clocksAheadSeconds: { 'gateway-3': 0 },
      variables: {
        UPSTREAMS_FILE: upstreamsFile,
        // The hold of a killed gateway ends a minute later.
        GATEWAY_LONGEST_REQUEST_MS: '20000',
        GATEWAY_BODY_MEMORY_MB: '64',
        OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: `${collector.url}/v1/logs`
      },
      variablesOf(part, ports): Record<string, string> {
        if (part !== 'control-2') return {}
        payments.forwardTo(ports)
        return { STRIPE_API_BASE: payments.url }
      }
    },
    useCredential: (credential) => writeFileSync(credentialFile, credential === 'right' ? rightCredential : 'wrong'),
    useUpstream: (isThere) => writeUpstreams(isThere ? 'openai' : 'renamed'),
    refuseKey: payments.refuse,
    useCollector: (isWorking) =>
      collector.answer((_request, response) => response.writeHead(isWorking ? 200 : 503).end()),
    async stop() {
      await payments.stop()
      await collector.close()
    }
  }
}

/** A server before the payments server, which can refuse every key. */
async function startRefusingPayments() {
  let target = 0
  let isRefusing = false
  const server = createServer(async (incoming, response) => {
    if (isRefusing) {
      const error = { type: 'invalid_request_error', message: 'Invalid API Key provided' }
      return void response.writeHead(401, { 'content-type': 'application/json' }).end(JSON.stringify({ error }))
    }
    const { authorization = '', 'content-type': type = '' } = incoming.headers
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    const answer = await fetch(`http://127.0.0.1:${target}${incoming.url}`, {
      method: incoming.method ?? 'GET',
      headers: { authorization, ...(type !== '' && { 'content-type': type }) },
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) })
    }).catch(() => null)
    if (answer === null) return void response.destroy()
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'application/json' })
    response.end(await answer.text())
  })
  const port = await freePort()
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${port}`,
    forwardTo(ports: Ports) {
      target = ports.SANDBOX_PAYMENTS_PORT
    },
    refuse(isRefused: boolean) {
      isRefusing = isRefused
    },
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  }
}
