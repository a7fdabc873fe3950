import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { allTestFiles, dealOut } from '@tollgate/cli/testing/list-files.ts'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import { readPromises } from '../docs/promises.ts'
import { faults, type SeededFault } from './faults.ts'

const root = workspaceFile('')
/** A cache remembers the sources of one workspace. */
const isShared = (name: string) => name !== '.cache'

/**
 * Copies the workspace as it is now, with changes that are not committed, into a new temporary directory. The copy uses
 * the installed libraries of the original, but its own packages.
 *
 * @returns the path of the copy
 */
function copyWorkspace(): string {
  const copy = mkdtempSync(join(tmpdir(), 'tollgate-seeded-faults-'))
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 26
  })
  // Files that were deleted and not committed are listed, too.
  const files = listed.split('\0').filter((file) => file !== '' && existsSync(join(root, file)))
  for (const file of files) cpSync(join(root, file), join(copy, file), { verbatimSymlinks: true })
  mkdirSync(join(copy, 'node_modules'))
  for (const name of readdirSync(join(root, 'node_modules')).filter(isShared)) {
    symlinkSync(join(root, 'node_modules', name), join(copy, 'node_modules', name))
  }
  // Relative links lead to the packages of the copy.
  for (const directory of globSync('{packages,services}/*/node_modules', { cwd: root })) {
    cpSync(join(root, directory), join(copy, directory), { recursive: true, verbatimSymlinks: true })
  }
  return copy
}

/** A test of a run, in the Test Anything Protocol. */
interface TapTest {
  readonly name: string
  readonly outcome: 'passed' | 'failed' | 'skipped'
}

const line = /^ *(not )?ok \d+ - (.*?)(?: # (SKIP|TODO|time=).*)?(?: \{)?$/

/** Reads all tests and assertions, the inner ones first. */
function readTap(output: string): TapTest[] {
  return output.split('\n').flatMap((text) => {
    const [all, failed, name, directive] = line.exec(text) ?? []
    if (all === undefined) return []
    if (directive === 'SKIP' || directive === 'TODO') return { name: name!, outcome: 'skipped' as const }
    return { name: name!, outcome: failed === undefined ? ('passed' as const) : ('failed' as const) }
  })
}

const usage = `npm run seeded-faults -- [--all] [name …]

Breaks a promise of docs/guarantees.md in a copy of the sources, one after the other, and checks that the test of the promise
fails. With --all, it runs all of npm test for each fault. The exit status is 1 if a fault was not found. Without names, it
seeds all faults:
${faults.map(({ name, summary }) => `  ${name.padEnd(28)}${summary}`).join('\n')}`

/** A fault may let a test wait for ever. What has failed until then counts. */
const fileTimeoutMs = 600_000

/** Ends the tests that run. */
let stopTests = () => {}

/** The arguments and variables with which `npm test` runs a file as it does among all: in the process of its group. */
function runOf(file: string): { args: string[]; env: NodeJS.ProcessEnv } {
  const [group] = [...dealOut(allTestFiles())].find(([, files]) => files.includes(file)) ?? []
  if (group === undefined) return { args: [file], env: {} }
  return { args: [`packages/cli/src/testing/groups/${group}.ts`], env: { TEST_FILES: file } }
}

/** Runs `npm test` in a workspace. @param file null for all */
async function runTests(workspace: string, file: string | null): Promise<TapTest[]> {
  const run = file === null ? { args: [], env: {} } : runOf(file)
  const args = ['test', '--', '--reporter=tap', ...run.args]
  const env = { ...process.env, ...run.env }
  // Its own group, so that a signal also reaches the tests and what they have started.
  const child = spawn('npm', args, { cwd: workspace, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  stopTests = () => void (child.exitCode === null && child.pid !== undefined && process.kill(-child.pid))
  const timer = file === null ? undefined : setTimeout(stopTests, fileTimeoutMs)
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  clearTimeout(timer)
  stopTests = () => {}
  const tests = readTap(output)
  if (tests.length === 0) throw new Error(`npm test ran no test:\n${errors}`)
  return tests
}

/** The test that proves the promise that a fault breaks. */
function proofOf({ name, test }: SeededFault): string {
  const proof = readPromises().find((promise) => promise.test === test && promise.command === 'npm test')
  if (proof === undefined) throw new Error(`docs/guarantees.md has no promise for ${name}`)
  return proof.file
}

/** Seeds a fault, and takes it back when the tests have run. */
async function withFault(workspace: string, { file, from, to }: SeededFault, run: () => Promise<void>): Promise<void> {
  const path = join(workspace, file)
  const whole = readFileSync(path, 'utf8')
  writeFileSync(
    path,
    whole.replace(from, () => to)
  )
  try {
    await run()
  } finally {
    writeFileSync(path, whole)
  }
}

/** @returns the number of faults that were not found */
async function seed(chosen: readonly SeededFault[], isAll: boolean): Promise<number> {
  const workspace = copyWorkspace()
  const remove = () => rmSync(workspace, { recursive: true, force: true, maxRetries: 3 })
  process.once('exit', remove)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      stopTests()
      process.exit(1)
    })
  }
  /** The tests that pass without a fault, by their file. */
  const sound = new Map<string | null, readonly TapTest[]>()
  let missed = 0
  for (const fault of chosen) {
    const file = proofOf(fault)
    const run = isAll ? null : file
    console.log(`\n${fault.name}: ${fault.summary}`)
    const before = sound.get(run) ?? (await runTests(workspace, run))
    sound.set(run, before)
    const isProof = ({ name }: TapTest) => isAll || name.includes(fault.test)
    const broken = before.find(({ outcome }) => outcome === 'failed')
    if (broken !== undefined || !before.some((test) => isProof(test) && test.outcome === 'passed')) {
      console.log(`  NOT TRIED: without the fault, ${broken?.name ?? `${file} does not run "${fault.test}"`}`)
      missed++
      continue
    }
    await withFault(workspace, fault, async () => {
      const failed = (await runTests(workspace, run)).filter(({ outcome }) => outcome === 'failed')
      const proofs = failed.filter(isProof)
      if (proofs.length > 0) {
        console.log(`  found by ${isAll ? proofs.map(({ name }) => name).join(', ') : `${file}: ${proofs[0]!.name}`}`)
        return
      }
      missed++
      console.log(`  NOT FOUND by ${isAll ? 'npm test' : `${file}: ${fault.test}`}`)
      for (const { name } of failed) console.log(`    failed: ${name}`)
    })
  }
  console.log(missed === 0 ? '\nEvery fault was found.' : `\n${missed} faults were not found.`)
  return missed
}

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { all: { type: 'boolean', default: false }, help: { type: 'boolean', short: 'h', default: false } }
})
const unknown = positionals.find((name) => !faults.some((fault) => fault.name === name))
if (values.help) console.log(usage)
else if (unknown !== undefined) {
  console.error(`unknown fault ${unknown}\n\n${usage}`)
  process.exitCode = 1
} else {
  const chosen = faults.filter(({ name }) => positionals.length === 0 || positionals.includes(name))
  process.exitCode = (await seed(chosen, values.all)) === 0 ? 0 : 1
}
