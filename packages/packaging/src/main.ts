import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import { checksumsFile } from './files/checksums.ts'
import { makePackages } from './make-package.ts'
import { packagePlans } from './packages.ts'

// `npm run package` makes all packages in `dist`. `npm run package -- --verify` makes them once more, and compares both.
const { values } = parseArgs({ options: { verify: { type: 'boolean', default: false } } })
const first = workspaceFile('dist')
await makeAll(first)
if (values.verify) {
  const second = mkdtempSync(join(tmpdir(), 'tollgate-package-'))
  try {
    await makeAll(second)
    for (const { name } of packagePlans) assertSame(name, second)
  } finally {
    rmSync(second, { recursive: true })
  }
  console.log('A second build has the same bytes.')
}

async function makeAll(folder: string): Promise<void> {
  await makePackages(folder)
  for (const { name } of packagePlans) console.log(join(folder, name))
}

function assertSame(name: string, second: string): void {
  const [a, b] = [first, second].map((folder) => readFileSync(join(folder, name, checksumsFile), 'utf8'))
  if (a !== b) throw new Error(`Two builds of ${name} differ. Compare their ${checksumsFile}.`)
}
