import { ConfigError } from '@tollgate/service/config/load-config.ts'
import { addDemoData, demoUser } from '../demo-data/add-demo-data.ts'
import { historyDays } from '../demo-data/past-usage.ts'
import { chooseEmbedded } from '../system/embedded.ts'
import { findAddresses } from '../system/ports.ts'
import { SystemError } from '../system/system-error.ts'
import { readStartConfig } from './config.ts'

/** `npm run demo-data`: gives the demo user of the running system a subscription, keys and two months of usage. */
async function run(): Promise<string> {
  const { env, ports, dataDir } = readStartConfig()
  const embedded = chooseEmbedded(env)
  if (!embedded.has('identity'))
    throw new SystemError(
      'SUPABASE_URL is set, so there is no demo user. Remove SUPABASE_URL, then run npm start and this command again.'
    )
  const { control, redis, payments } = findAddresses(
    env,
    embedded,
    ports,
    { controlPorts: [], gatewayPorts: [] },
    dataDir
  )
  const added = await addDemoData({ control, redis, payments, isLogged: env.REQUEST_LOG !== 'off', onlyIfNew: false })
  if (added === null) return 'The demo user has demo data already. Nothing was changed.'
  return (
    `Added ${added.keys} keys and ${added.requests} requests of the last ${historyDays} days to ${demoUser.email}. ` +
    `Sign in at ${control} with the password ${demoUser.password}.`
  )
}

try {
  console.log(await run())
} catch (error) {
  console.error(error instanceof SystemError || error instanceof ConfigError ? error.message : error)
  process.exitCode = 1
}
