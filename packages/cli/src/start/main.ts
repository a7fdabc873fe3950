import { loadCatalogFile } from '@tollgate/service/catalog/catalog-file.ts'
import { ConfigError } from '@tollgate/service/config/load-config.ts'
import { FileError } from '@tollgate/service/config/read-yaml.ts'
import { version } from '@tollgate/service/version.ts'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import { type System, startSystem } from '../system/system.ts'
import { SystemError } from '../system/system-error.ts'
import { readStartConfig } from './config.ts'
import { chooseDemo, demoUser, seedDemoUsers } from './demo.ts'
import { createLineFilter } from './shown-lines.ts'
import { describeSystem } from './summary.ts'

/** A signal asked the system to stop. */
class Interruption extends Error {}

const ending = new AbortController()

async function run(): Promise<void> {
  const config = readStartConfig()
  const demo = chooseDemo(loadCatalogFile(config.catalogFile))
  const filter = createLineFilter(config.shownLog)
  console.log(`Starting Tollgate (data and logs in ${config.dataDir}) …`)
  const system = await startSystem({
    ...config,
    signal: ending.signal,
    onNotice: (text) => console.log(text),
    onLine(part, line) {
      const shown = filter(part, line)
      if (shown !== null) console.error(shown)
    },
    onCrash(part, how) {
      ending.abort(new SystemError(`${part} ended ${how}, so the system was stopped.`))
    }
  })
  try {
    await serve(system, demo)
  } finally {
    await system.stop()
  }
}

/** Runs until the system has to stop. @throws the reason */
async function serve(system: System, { plan, model }: ReturnType<typeof chooseDemo>): Promise<never> {
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
  return new Promise((_resolve, reject) => {
    ending.signal.addEventListener('abort', () => reject(ending.signal.reason), { once: true })
  })
}

// The terminal sends SIGINT also to npm, which may pass it on. Repeated signals change nothing.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => ending.abort(new Interruption()))
// The process that started this one has ended.
process.on('disconnect', () => ending.abort(new Interruption()))
process.channel?.unref()
// After the terminal closes, this process must still stop the others.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})

if (process.argv.includes('--version')) {
  console.log(version)
  process.exit(0)
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
