import { chmodSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { keys } from '../servers.ts'
import { type Fault, withEnv } from './fault.ts'

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
