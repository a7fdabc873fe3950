import module from 'node:module'
import { basename } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { testsAll } from '@tollgate/sandbox/property-runs.ts'
import { beginGroup, countShared, endGroup } from '@tollgate/sandbox/testing/after-group.ts'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import root from 'tap'
import { t as current, setCurrentTest } from './current-test.mjs'
import { allTestFiles, dealOut, isLong } from './list-files.ts'
import { readCpu, recordCpu } from './record-cpu.mjs'

/** So long because the machine may be busy. */
const fileTimeoutMs = 600_000
/** How long a file's last connections may take to close. */
const closingMs = 10_000

/**
 * Runs the test files of a group one after the other in this process: each file is a subtest of tap's root. A short
 * test file spends most of its time on the start of a process and the loading of our code. A group does both once.
 *
 * A file fails if it leaves a server, a connection, a timer, a program or a listener behind, or changes the environment
 * or the working directory, which are restored.
 *
 * Runs only the files that the variable `TEST_FILES` names, if it is set.
 *
 * @param entry the path of the group's file in `groups/`, which has the group's name
 */
export async function runGroup(entry: string): Promise<void> {
  const currentTest = new URL('./current-test.mjs', import.meta.url).href
  module.registerHooks({
    resolve: (specifier, context, nextResolve) =>
      specifier === 'tap' ? { url: currentTest, shortCircuit: true } : nextResolve(specifier, context)
  })
  beginGroup()
  // Tap's own listeners are there from now on.
  root.pipe(process.stdout)
  setCurrentTest(root)
  // An error that nobody catches fails the file that runs.
  process.setUncaughtExceptionCaptureCallback((err) => current.threw(err))
  for (const file of chooseFiles(basename(entry, '.ts'))) {
    const [stateBefore, cpuBefore, sharedBefore] = [readState(), readCpu(), countShared()]
    const umask = process.umask()
    root.setTimeout(2 * fileTimeoutMs)
    await root.test(file, { timeout: fileTimeoutMs }, async (t) => {
      await t.test('all', async (t) => {
        setCurrentTest(t)
        await import(pathToFileURL(workspaceFile(file)).href)
      })
      // What a file starts for later files, too, stays.
      const left = await untilRestored(stateBefore, countShared() > sharedBefore)
      if (left.length > 0) t.fail(`leaves nothing behind: ${left.join(', ')}`)
    })
    // A system that the files share has set it for its own files.
    process.umask(umask)
    recordCpu(file, cpuBefore)
  }
  await endGroup()
  root.end()
  // What the file left that started a shared system is not checked. It must not keep the process.
  setTimeout(() => process.exit(), 5_000).unref()
}

function chooseFiles(group: string): string[] {
  const { TEST_FILES } = process.env
  const files = dealOut(allTestFiles()).get(group)!
  if (TEST_FILES !== undefined) return files.filter((file) => TEST_FILES.split(' ').includes(file))
  return files.filter((file) => testsAll || !isLong(file))
}

interface State {
  env: NodeJS.ProcessEnv
  directory: string
  /** How many handles of each kind keep this process alive. */
  handles: Map<string, number>
  /** How many listeners each event of this process has. */
  listeners: Map<string, number>
}

/** Requests to the system, which end by themselves. */
const ending = /^(?:FSReq|GetAddrInfoReq|Immediate|TickObject|FileHandle)/

function readState(): State {
  const handles = Map.groupBy(
    process.getActiveResourcesInfo().filter((kind) => !ending.test(kind)),
    (kind) => kind
  )
  return {
    env: { ...process.env },
    directory: process.cwd(),
    handles: new Map([...handles].map(([kind, all]) => [kind, all.length])),
    // Modules add listeners of `exit` when they are loaded.
    listeners: new Map(
      process.eventNames().flatMap((event) => (event === 'exit' ? [] : [[String(event), process.listenerCount(event)]]))
    )
  }
}

/** Restores environment and directory, and waits until all else is as before. @returns what the file has left behind */
async function untilRestored(before: State, mayLeave: boolean): Promise<string[]> {
  const { env, directory } = readState()
  const changed = new Set([...Object.keys(env), ...Object.keys(before.env)])
  for (const name of changed) {
    if (env[name] === before.env[name]) changed.delete(name)
    else if (before.env[name] === undefined) delete process.env[name]
    else process.env[name] = before.env[name]
  }
  if (directory !== before.directory) {
    process.chdir(before.directory)
    changed.add('the working directory')
  }
  const deadline = performance.now() + closingMs
  for (;;) {
    const now = readState()
    const more = (['handles', 'listeners'] as const).flatMap((part) =>
      [...now[part]].filter(([kind, count]) => count > (before[part].get(kind) ?? 0)).map(([kind]) => kind)
    )
    if (more.length === 0 || mayLeave) return [...changed]
    if (performance.now() > deadline) return [...changed, ...more]
    await delay(5)
  }
}
