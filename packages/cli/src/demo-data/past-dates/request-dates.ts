import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { SystemError } from '../../system/system-error.ts'
import type { PastDates } from './past-dates.ts'

const timeoutMs = 15_000
const datesFile = (dataDir: string) => join(dataDir, 'demo-dates.json')
const inControl = new URL('./in-control.ts', import.meta.url).href

/** The variables with which control's process writes the dates that `requestDates` asks for. Its embedded database is open in no other process. */
export function datesEnv(dataDir: string, nodeOptions: string | undefined): Record<string, string> {
  return {
    NODE_OPTIONS: `${nodeOptions ?? ''} --import=${inControl}`.trim(),
    DEMO_DATES_FILE: datesFile(dataDir)
  }
}

/**
 * Asks control's process to write past dates into its embedded database. Resolves when they are written.
 *
 * @throws SystemError if that fails
 */
export async function requestDates(dataDir: string, dates: PastDates): Promise<void> {
  const file = datesFile(dataDir)
  const failure = `${file}.failed`
  rmSync(failure, { force: true })
  // Atomic, so that control never reads a part of it.
  writeFileSync(`${file}.new`, JSON.stringify(dates), { mode: 0o600 })
  renameSync(`${file}.new`, file)
  const deadline = performance.now() + timeoutMs
  while (existsSync(file)) {
    if (performance.now() > deadline) {
      rmSync(file, { force: true })
      throw new SystemError('Control did not date the demo data. Start the system with npm start, then try again.')
    }
    await delay(50)
  }
  if (existsSync(failure)) throw new SystemError(`The demo data got no dates: ${readFileSync(failure, 'utf8')}`)
}
