import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import { checksumsFile, readSigningKey, signatureFile, signPackage } from './checksums.ts'
import { makePackages } from './make-package.ts'
import { packagePlans } from './packages.ts'
import { readSource } from './provenance.ts'

// `npm run package` makes all packages in `dist`. `npm run package -- --verify` makes them once more, and compares
// both. `npm run package -- --sign KEY` signs them with the private key of this file.
const { values } = parseArgs({
  options: { verify: { type: 'boolean', default: false }, sign: { type: 'string' } }
})
// A wrong key and changed sources are reported before the work.
const key = values.sign === undefined ? null : readSigningKey(values.sign)
if (key !== null) assertCommitted()
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
if (key !== null) {
  for (const { name } of packagePlans) {
    signPackage(join(first, name), key)
    console.log(join(first, name, signatureFile))
  }
}

/** @throws Error if a signature would be for sources that nobody can find again */
function assertCommitted(): void {
  const { commit, isChanged } = readSource(workspaceFile(''))
  if (commit === null) throw new Error('Sign packages in a git clone: their provenance names the commit.')
  if (isChanged) throw new Error('Files differ from the commit, or are new. Commit or remove them, then sign.')
}

async function makeAll(folder: string): Promise<void> {
  await makePackages(folder)
  for (const { name } of packagePlans) console.log(join(folder, name))
}

function assertSame(name: string, second: string): void {
  const [a, b] = [first, second].map((folder) => readFileSync(join(folder, name, checksumsFile), 'utf8'))
  if (a !== b) throw new Error(`Two builds of ${name} differ. Compare their ${checksumsFile}.`)
}
