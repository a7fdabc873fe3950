import { loadControlConfig } from './config.ts'

async function main(): Promise<void> {
  // SIGHUP never ends this process, also not before anything reads files again.
  process.on('SIGHUP', () => undefined)
  const config = loadControlConfig(process.env)
  // Loaded after the check, so that a wrong variable is reported at once.
  await (await import('./run-control.ts')).runControl(config)
}

main().catch((error: unknown) => {
  process.stderr.write(`control: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
})
