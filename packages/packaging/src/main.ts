import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { ensureDashboard } from '@tollgate/dashboard/build/ensure-dashboard.ts'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import { checksumsFile } from './files/checksums.ts'
import { makePackage } from './make-package.ts'
import { packagePlans } from './packages.ts'

// `npm run package` makes all packages in `dist`. `npm run package -- --verify` makes them once more, and compares both.
const { values } = parseArgs({ options: { verify: { type: 'boolean', default: false } } })
const root = workspaceFile('').replace(/\/$/, '')
await ensureDashboard()
await makeAll(join(root, 'dist'))
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
  for (const plan of packagePlans) {
    const outDir = join(folder, plan.name)
    await makePackage(plan, root, outDir)
    console.log(outDir)
  }
}

function assertSame(name: string, second: string): void {
  const [a, b] = [join(root, 'dist'), second].map((folder) => readFileSync(join(folder, name, checksumsFile), 'utf8'))
  if (a !== b) throw new Error(`Two builds of ${name} differ. Compare their ${checksumsFile}.`)
}
