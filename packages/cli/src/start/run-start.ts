import { isatty } from 'node:tty'
import { loadCatalogFile } from '@tollgate/service/catalog/catalog-file.ts'
import { ConfigError } from '@tollgate/service/config/load-config.ts'
import { FileError } from '@tollgate/service/config/read-yaml.ts'
import { findUnknownVariables } from '@tollgate/service/config/unknown-variables.ts'
import { version, workspaceFile } from '@tollgate/service/workspace.ts'
import { addDemoData, demoUser } from '../demo-data/add-demo-data.ts'
import { chooseEmbedded } from '../system/embedded.ts'
import { type System, startSystem } from '../system/system.ts'
import { SystemError } from '../system/system-error.ts'
import { readStartConfig, type StartConfig } from './config.ts'
import { chooseDemo, demoControlEnv, isDemo, seedDemoUsers } from './demo.ts'
import { createLineFilter, describeSystem } from './terminal-output.ts'

const usage = `npm start

Starts control, the gateway, and a stand-in for every service that is not configured. Ctrl+C stops them all.

Settings are read from the environment and from the file .env: .env.example lists them all. The most useful here:
  CONTROL_PORT, GATEWAY_PORT   the ports of the dashboard and of the models
  TOLLGATE_DATA_DIR            the directory of all data and logs (.tollgate)
  TOLLGATE_LOG=all             show every line of the logs
  TOLLGATE_DEMO_DATA=off       leave the demo account empty

npm start -- --version prints the version.`

/**
 * What to print instead of starting.
 *
 * @param args the arguments of the command
 * @returns null without arguments
 */
function answerArguments(args: readonly string[]): { text: string; isRefusal: boolean } | null {
  if (args.includes('--help') || args.includes('-h')) return { text: usage, isRefusal: false }
  const unknown = args.find((argument) => argument !== '--version')
  if (unknown !== undefined) {
    const text = `Unknown argument: ${unknown}. Settings are environment variables: npm start -- --help`
    return { text, isRefusal: true }
  }
  return args.length > 0 ? { text: version, isRefusal: false } : null
}

/** A signal asked the system to stop. */
class Interruption extends Error {}

const ending = new AbortController()
/** The system, while it is ready. */
let running: System | null = null

async function run(): Promise<void> {
  const config = readStartConfig()
  for (const warning of findUnknownVariables(config.env)) console.error(warning)
  const demo = chooseDemo(loadCatalogFile(config.catalogFile))
  const controlEnv = demoControlEnv(config.env, chooseEmbedded(config.env))
  const filter = createLineFilter(config.shownLog)
  console.log(`Starting Tollgate (data and logs in ${config.dataDir}) …`)
  const system = await startSystem({
    ...config,
    signal: ending.signal,
    envOf: (part) => (part === 'control' ? controlEnv : {}),
    onNotice: (text) => console.log(text),
    onStep: (text) => console.log(text),
    onLine(part, line) {
      const text = filter(part, line)
      if (text !== null) console.error(text)
    },
    onCrash(part, how) {
      ending.abort(new SystemError(`${part} ended ${how}, so the system was stopped.`))
    }
  })
  running = system
  try {
    await serve(system, demo, config)
  } finally {
    running = null
    await system.stop()
  }
}

/** Runs until the system has to stop. @throws the reason */
async function serve(
  system: System,
  { plan, model }: ReturnType<typeof chooseDemo>,
  { hasDemoData, env }: StartConfig
): Promise<never> {
  const { addresses, embedded, secrets, dataDir } = system
  const hasDemoUser = embedded.has('identity')
  if (hasDemoUser) await seedDemoUsers(addresses.identity, secrets.serviceRoleKey, plan)
  ending.signal.throwIfAborted()
  console.log(
    describeSystem({
      addresses,
      embedded,
      dataDir,
      workspaceRoot: workspaceFile('').replace(/\/$/, ''),
      user: hasDemoUser ? { ...demoUser, plan } : null,
      model,
      seconds: performance.now() / 1000
    })
  )
  if (hasDemoData && isDemo(embedded)) void fillDemoAccount(system, env)
  return new Promise((_resolve, reject) => {
    ending.signal.addEventListener('abort', () => reject(ending.signal.reason), { once: true })
  })
}

/** Adds past data to a new demo account, while the system already serves. A failure says so and stops nothing. */
async function fillDemoAccount({ addresses }: System, env: StartConfig['env']): Promise<void> {
  const { control, redis, payments } = addresses
  try {
    await addDemoData({ control, redis, payments, isLogged: env.REQUEST_LOG !== 'off', onlyIfNew: true })
  } catch (error) {
    if (!ending.signal.aborted)
      console.error('The demo account got no data. Run npm run demo-data to try again:', error)
  }
}

// The terminal sends SIGINT also to npm, which may pass it on. Repeated signals change nothing.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => ending.abort(new Interruption()))
// The services then read their files again. A start that is under way has just read them.
const terminals = [0, 1, 2].filter((descriptor) => isatty(descriptor))
process.on('SIGHUP', () => {
  // A terminal that closes also sends SIGHUP, and is no terminal any more.
  const isClosed = terminals.length > 0 && !terminals.some((descriptor) => isatty(descriptor))
  if (isClosed) ending.abort(new Interruption())
  else void running?.hangUp()
})
// The process that started this one has ended.
process.on('disconnect', () => ending.abort(new Interruption()))
process.channel?.unref()
// After the terminal closes, this process must still stop the others.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})

const answer = answerArguments(process.argv.slice(2))
if (answer !== null) {
  if (answer.isRefusal) console.error(answer.text)
  else console.log(answer.text)
  process.exit(answer.isRefusal ? 1 : 0)
}

try {
  await run()
} catch (error) {
  if (error instanceof Interruption) {
    console.log('Stopped.')
    process.exit(0)
  }
  const isExplained = error instanceof SystemError || error instanceof ConfigError || error instanceof FileError
  console.error(isExplained ? error.message : error)
  process.exit(1)
}
