import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, readFileSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type Test, test } from 'tap'

const cli = fileURLToPath(new URL('../../', import.meta.url))
const run = promisify(execFile)

/**
 * A workspace with the real set-up and a fake `npx`. The `npx` records each run and "installs" this Node and a tool
 * named `tell`, without the network.
 */
function workspace(t: Test, npx = install) {
  const root = t.testdir({
    'package.json': '{"type":"module"}',
    'pnpm-lock.yaml': '',
    packages: { cli: {} },
    tools: { npx, tell: '#!/bin/sh\necho "tool $(command -v node) $*"\n' },
    'args.mjs': 'console.log(JSON.stringify([process.execPath, process.argv.slice(2), process.connected === true]))',
    'cache.mjs': 'console.log(process.env.NODE_COMPILE_CACHE)',
    'exit.mjs': 'process.exit(7)',
    'killed.mjs': 'process.kill(process.pid, "SIGKILL")',
    'wait.mjs': `
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => { console.log(signal); process.exit(9) })
      process.on('disconnect', () => { console.log('left alone'); process.exit(9) })
      setInterval(() => {}, 1000)
      console.log(process.pid)`
  })
  cpSync(join(cli, 'bin'), join(root, 'packages/cli/bin'), { recursive: true })
  cpSync(join(cli, 'src/setup'), join(root, 'packages/cli/src/setup'), { recursive: true })
  chmodSync(join(root, 'tools/npx'), 0o755)
  chmodSync(join(root, 'tools/tell'), 0o755)
  symlinkSync(process.execPath, join(root, 'tools/real-node'))
  const env = { PATH: `${join(root, 'tools')}:/usr/bin:/bin` }
  const args = ['packages/cli/bin/with-setup.mjs']
  return {
    root,
    run: (...command: string[]) => run(process.execPath, [...args, ...command], { cwd: root, env }),
    runWith: (more: Record<string, string>, ...command: string[]) =>
      run(process.execPath, [...args, ...command], { cwd: root, env: { ...env, ...more } }),
    spawn: (...command: string[]) =>
      spawn(process.execPath, [...args, ...command], { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'] }),
    installations: () => readFileSync(join(root, 'npx-runs'), 'utf8').split('\n').filter(Boolean)
  }
}

const install = `#!/bin/sh
echo "$*" >> npx-runs
mkdir -p node_modules/.bin
ln -sf "$PWD/tools/real-node" node_modules/.bin/node
ln -sf "$PWD/tools/tell" node_modules/.bin/tell
`

async function firstLine(child: ChildProcess): Promise<string> {
  assert.ok(child.stdout)
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
  return line
}

test('the first run installs from the lock file, the second does not', async (t) => {
  const { root, run, installations } = workspace(t)
  const first = await run('args.mjs', 'one', '--two')
  assert.match(first.stdout, /^Installing .*\nInstalled in \d+ s\.\n/)
  const second = await run('args.mjs', 'one', '--two')
  assert.deepEqual(JSON.parse(second.stdout), [process.execPath, ['one', '--two'], true])
  assert.equal(installations().length, 1)
  assert.match(installations()[0] ?? '', /^--yes pnpm@\d+\.\d+\.\d+ install --frozen-lockfile/)
  const tool = await run('--bin', 'tell', 'me')
  assert.equal(tool.stdout, `tool ${join(root, 'node_modules/.bin/node')} me\n`)
})

test('the compile cache is in node_modules, unless NODE_COMPILE_CACHE is set', async (t) => {
  const { root, run, runWith } = workspace(t)
  await run('args.mjs')
  const { stdout } = await run('cache.mjs')
  assert.equal(stdout.trim(), join(root, 'node_modules/.cache/tollgate'))
  const chosen = await runWith({ NODE_COMPILE_CACHE: '/elsewhere' }, 'cache.mjs')
  assert.equal(chosen.stdout.trim(), '/elsewhere')
})

test('a failed installation is reported in one sentence and retried at the next run', async (t) => {
  const { runWith, installations } = workspace(t, '#!/bin/sh\necho run >> npx-runs\nexit 3\n')
  const server = createServer((_request, response) => response.end())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => server.close())
  const online = { npm_config_registry: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` }
  for (const runs of [1, 2]) {
    await assert.rejects(runWith(online, 'args.mjs'), {
      code: 1,
      stderr: /^The installation failed \(npx --yes pnpm@\S+ install .*\)\.\n$/
    })
    assert.equal(installations().length, runs)
  }
})

test('without a way to the registry, a failed installation says how to get one', async (t) => {
  const { runWith } = workspace(t, '#!/bin/sh\nexit 1\n')
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  // Then nothing listens on this port.
  await new Promise((resolve) => server.close(resolve))
  await assert.rejects(runWith({ npm_config_registry: `http://127.0.0.1:${port}/` }, 'args.mjs'), {
    code: 1,
    stdout: /This happens once.*\n?/,
    stderr:
      /^The installation failed .*\nThe npm registry 127\.0\.0\.1:\d+ cannot be reached \(ECONNREFUSED\)\. .*connect to the internet/
  })
})

for (const [what, makeNode] of [
  ['no Node', ''],
  ['an old Node', 'printf "#!/bin/sh\\necho v18.20.4\\n" > node_modules/.bin/node; chmod +x node_modules/.bin/node\n']
] as const) {
  test(`an installation that leaves ${what} is refused`, async (t) => {
    const { run } = workspace(t, `#!/bin/sh\nmkdir -p node_modules/.bin\n${makeNode}`)
    await assert.rejects(run('args.mjs'), { code: 1, stderr: /^The installation left no Node 24 at / })
  })
}

test('the exit code is the command’s', async (t) => {
  const { run } = workspace(t)
  await assert.rejects(run('exit.mjs'), { code: 7, signal: null })
  await assert.rejects(run('killed.mjs'), { code: null, signal: 'SIGKILL' })
  await assert.rejects(run('--bin', 'absent'), { code: 1, stderr: /^absent cannot be run/ })
  await assert.rejects(run(), { code: 1, stderr: /^Usage/ })
})

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  test(`${signal} is passed on to the command, which decides how it ends`, async (t) => {
    const { run, spawn } = workspace(t)
    await run('args.mjs')
    const child = spawn('wait.mjs')
    t.after(() => child.kill('SIGKILL'))
    await firstLine(child)
    const line = firstLine(child)
    const ended = once(child, 'exit')
    child.kill(signal)
    assert.equal(await line, signal)
    assert.deepEqual(await ended, [9, null])
  })
}

test('a script notices that its parent was killed', async (t) => {
  const { run, spawn } = workspace(t)
  await run('args.mjs')
  const child = spawn('wait.mjs')
  const pid = Number(await firstLine(child))
  t.after(() => {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {}
  })
  const line = firstLine(child)
  child.kill('SIGKILL')
  assert.equal(await line, 'left alone')
})

test('the error about an old Node names the needed version', async () => {
  const bin = join(cli, 'bin/with-setup.mjs')
  const asOld = `
    const { versions } = process
    globalThis.process = new Proxy(process, {
      get: (target, name) => name === 'versions' ? { ...versions, node: '18.20.4' }
        : name === 'version' ? 'v18.20.4' : typeof target[name] === 'function' ? target[name].bind(target) : target[name]
    })
    await import(${JSON.stringify(bin)})`
  await assert.rejects(run(process.execPath, ['--input-type=module', '-e', asOld], { cwd: dirname(bin) }), {
    code: 1,
    stderr: 'Tollgate needs Node 20 or later to set itself up; this is v18.20.4. Get one at https://nodejs.org.\n'
  })
})
