import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findProgram } from '@tollgate/sandbox/find-program.ts'
import { need } from '@tollgate/sandbox/need.ts'
import t from 'tap'
import { readShipped, valuesOf } from './unit-file.ts'

const analyze = findProgram(['systemd-analyze'])
const sysusers = findProgram(['systemd-sysusers'])
const gatewayUnit = readShipped('tollgate-gateway@.service')
const controlUnit = readShipped('tollgate-control.service')
const node = '/usr/bin/node'

/** Runs a program of systemd. @returns its status, and all that it prints */
function run(program: string, options: readonly string[]): Promise<{ status: number; output: string }> {
  return new Promise((resolve) => {
    const child = execFile(program, options, (_error, stdout, stderr) =>
      resolve({ status: child.exitCode ?? -1, output: `${stdout}${stderr}`.trim() })
    )
  })
}

/** Writes the units as an operator installs them, with the Node.js of this machine. @returns their paths */
function install(directory: string, change = (unit: string) => unit): string[] {
  const units = {
    'tollgate-gateway@8080.service': gatewayUnit,
    'tollgate-control.service': controlUnit,
    'tollgate.target': readShipped('tollgate.target')
  }
  return Object.entries(units).map(([name, unit]) => {
    const path = join(directory, name)
    writeFileSync(path, change(unit).replaceAll(node, process.execPath))
    return path
  })
}

t.test('systemd accepts every line of the units', async (t) => {
  if (!need(t, 'systemd-analyze', analyze)) return
  const { status, output } = await run(analyze, ['verify', '--man=no', ...install(t.testdir())])
  assert.deepEqual({ status, output }, { status: 0, output: '' })
  const misspelled = install(t.testdir(), (unit) => unit.replace('ProtectHome', 'ProtectHomes'))
  assert.match((await run(analyze, ['verify', '--man=no', ...misspelled])).output, /ProtectHomes/)
})

t.test('systemd rates the exposure of both services below 1.5 of 10', async (t) => {
  if (!need(t, 'systemd-analyze', analyze)) return
  const rate = (path: string) => run(analyze, ['security', '--offline=true', '--threshold=15', '--no-pager', path])
  const [gateway, control] = install(t.testdir())
  assert.equal((await rate(gateway!)).status, 0)
  assert.equal((await rate(control!)).status, 0)
  const [open] = install(t.testdir(), (unit) => unit.replace(/^(SystemCallFilter|ProtectSystem).*$/gm, ''))
  assert.notEqual((await rate(open!)).status, 0)
})

t.test('both services have their own user, which is created, and reload on SIGHUP', async (t) => {
  if (!need(t, 'systemd-sysusers', sysusers)) return
  const root = t.testdir({ 'tollgate.conf': readShipped('sysusers.conf'), etc: {} })
  const { status, output } = await run(sysusers, ['--dry-run', `--root=${root}`, join(root, 'tollgate.conf')])
  assert.equal(status, 0, output)
  const users = [gatewayUnit, controlUnit].map((unit) => valuesOf(unit, 'User')[0]!)
  assert.equal(new Set(users).size, 2)
  for (const user of users) assert.match(output, new RegExp(`user '${user}'`))
  for (const unit of [gatewayUnit, controlUnit]) {
    assert.deepEqual(valuesOf(unit, 'ExecReload'), ['/bin/kill -HUP $MAINPID'])
  }
  // The group that may read the providers' keys.
  assert.match(readShipped('tmpfiles.conf'), new RegExp(`^d /etc/tollgate/credentials +0750 root ${users[0]} `, 'm'))
})
