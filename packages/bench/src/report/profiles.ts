import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type CpuProfile, type SelfTime, summarizeProfile } from '../measure/profile.ts'
import { formatNumber, renderTable } from './table.ts'

const functionsShown = 25
const packagesShown = 12

/** The lines of the report for each profile: packages and functions with the most time. */
export function renderProfiles(profiles: ReadonlyMap<string, CpuProfile>): string[] {
  return [...profiles].flatMap(([name, profile]) => {
    const { functions, packages } = summarizeProfile(profile)
    return [
      '',
      `where the time goes: ${name}`,
      ...shares('package', packages.slice(0, packagesShown)),
      '',
      ...shares('function, self time', functions.slice(0, functionsShown))
    ]
  })
}

/** Writes each profile to `<directory>/<name>.cpuprofile`. Browser DevTools and VS Code can open it. */
export function saveProfiles(profiles: ReadonlyMap<string, CpuProfile>, directory: string): void {
  mkdirSync(directory, { recursive: true })
  for (const [name, profile] of profiles) {
    writeFileSync(join(directory, `${name.replaceAll(' ', '-')}.cpuprofile`), JSON.stringify(profile))
  }
}

function shares(head: string, list: readonly SelfTime[]): string[] {
  const percent = (share: number) => `${formatNumber(share * 100, 1)} %`
  return renderTable({ head: [head, 'share'], rows: list.map(({ name, share }) => [name, percent(share)]) })
}
