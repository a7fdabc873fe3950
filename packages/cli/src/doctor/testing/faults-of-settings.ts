import { chmodSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { makeCertificate } from '@tollgate/sandbox/redis/running-redis.ts'
import { json, keys } from './servers.ts'
import { catalogYaml, deadPort, type Fault, upstreamsYaml, withEnv } from './world.ts'

const upstreamAt = (name: string, codes: readonly string[], url: string): Fault => ({
  name,
  codes,
  make: async ({ write }) => ({ UPSTREAMS_FILE: write('other-upstreams.yaml', upstreamsYaml(url)) })
})

/** The variables of collectors, and the path that the URL in each has. */
const traces = ['OTEL_EXPORTER_OTLP_ENDPOINT', ''] as const

const receipts = ['OTEL_EXPORTER_OTLP_LOGS_ENDPOINT', '/v1/logs'] as const

const collectorAnswers = (
  name: string,
  status: number,
  code: string,
  [variable, path]: readonly [string, string]
): Fault => ({
  name,
  codes: [code],
  async make({ startServer }) {
    const url = await startServer((_request, response) => void response.writeHead(status).end())
    return { [variable]: url + path }
  }
})

export const otherFaults: readonly Fault[] = [
  withEnv('the key of the upstream is wrong', ['upstream_key_refused'], { MAIN_API_KEY: 'sk-another-key' }),
  upstreamAt('nothing listens at the upstream', ['upstream_unreachable'], `http://127.0.0.1:${deadPort}/v1`),
  upstreamAt('the host of the upstream is unknown', ['upstream_unreachable'], 'http://models.invalid/v1'),
  {
    name: 'the certificate of the upstream is unknown',
    codes: ['upstream_unreachable'],
    async make({ cwd, write }) {
      const files = makeCertificate(cwd)
      if (files === null) throw new Error('this test needs openssl')
      const options = { cert: readFileSync(files.certFile), key: readFileSync(files.keyFile) }
      const server = createServer(options, json({ '/v1/models': [200, { data: [] }] }))
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      const { port } = server.address() as AddressInfo
      return {
        env: { UPSTREAMS_FILE: write('tls-upstreams.yaml', upstreamsYaml(`https://127.0.0.1:${port}/v1`)) },
        undo: async () => {
          server.closeAllConnections()
          server.close()
        }
      }
    }
  },
  {
    name: 'the path of the upstream is wrong',
    codes: ['upstream_not_found'],
    make: async ({ write, models }) => ({ UPSTREAMS_FILE: write('other-upstreams.yaml', upstreamsYaml(models.url)) })
  },
  {
    name: 'the upstream answers with a web page',
    codes: ['upstream_without_list'],
    async make({ write, startServer }) {
      const url = await startServer((_request, response) => void response.end('<html>'))
      return { UPSTREAMS_FILE: write('other-upstreams.yaml', upstreamsYaml(`${url}/v1`)) }
    }
  },
  {
    name: 'the upstream lacks a routed model',
    codes: ['upstream_model_unknown'],
    make: async ({ write }) => ({
      CATALOG_FILE: write('model.yaml', catalogYaml.replace('sandbox-small', 'sandbox-smal'))
    })
  },
  {
    name: 'a route names no upstream',
    codes: ['route_without_upstream'],
    make: async ({ write }) => ({
      CATALOG_FILE: write('route.yaml', catalogYaml.replace('upstream: main', 'upstream: mian'))
    })
  },
  withEnv('the gateway does not answer', ['gateway_unreachable'], {
    GATEWAY_PUBLIC_URL: `http://localhost:${deadPort}`
  }),
  {
    name: 'another server answers at the address of the gateway',
    codes: ['gateway_foreign'],
    make: async ({ env }) => ({ GATEWAY_PUBLIC_URL: env.PUBLIC_URL! })
  },
  withEnv('nothing listens at the collector of traces', ['collector_unreachable'], {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${deadPort}`
  }),
  collectorAnswers('the collector of traces refuses the credential', 401, 'collector_refuses', traces),
  collectorAnswers('the address of the collector is that of another server', 404, 'collector_status', traces),
  withEnv('nothing listens at the collector of receipts', ['log_collector_unreachable'], {
    OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: `http://127.0.0.1:${deadPort}/v1/logs`
  }),
  collectorAnswers('the collector of receipts refuses the credential', 403, 'log_collector_refuses', receipts),
  collectorAnswers('the collector has no pipeline for logs', 404, 'log_collector_status', receipts)
]

export const settingsFaults: readonly Fault[] = [
  withEnv('a variable is missing', ['variable_missing'], { SUPABASE_URL: undefined }),
  withEnv('a name has a typing error', ['variable_missing', 'variable_unknown'], {
    STRIPE_SECRET_KEY: undefined,
    STRIPE_SECRTE_KEY: keys.stripeKey
  }),
  withEnv('an optional name has a typing error', ['variable_unknown'], { LOG_LEVL: 'debug' }),
  withEnv('a name lacks a word', ['variable_unknown'], { DATABASE_POOL: '20' }),
  withEnv('a port is not a number', ['variable_invalid'], { CONTROL_PORT: 'http' }),
  withEnv('the admin port is the public port', ['variable_invalid'], {
    CONTROL_PORT: '3000',
    CONTROL_ADMIN_PORT: '3000'
  }),
  withEnv(
    'several variables are wrong, of both services',
    ['variable_invalid', 'variable_invalid', 'variable_invalid'],
    {
      GATEWAY_DRAIN_MS: '-1',
      STRIPE_WEBHOOK_SECRET: 'short',
      LOG_LEVEL: 'loud'
    }
  ),
  {
    name: 'the catalog has an unknown member',
    codes: ['catalog_invalid'],
    make: async ({ write }) => ({ CATALOG_FILE: write('bad.yaml', 'models: {}\nplans: {}\nplan: {}\n') })
  },
  withEnv('the credential of an upstream is missing', ['upstreams_invalid'], { MAIN_API_KEY: undefined }),
  withEnv('the dashboard is not built', ['dashboard_absent'], { DASHBOARD_DIR: '/nowhere' }),
  {
    name: 'the directory of the database is a file',
    codes: ['directory_not_writable'],
    make: async ({ write }) => ({ DATABASE_URL: `pglite:${write('file', '')}/postgres` })
  },
  {
    name: '.env is readable by others',
    codes: ['env_readable'],
    async make({ write, cwd }) {
      chmodSync(write('.env', 'LOG_LEVEL=info\n'), 0o644)
      return { env: {}, undo: async () => rmSync(join(cwd, '.env')) }
    }
  }
]
