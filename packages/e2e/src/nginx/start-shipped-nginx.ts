import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '@tollgate/sandbox/free-port.ts'
import { workspaceFile } from '@tollgate/service/workspace.ts'

/**
 * Starts nginx with `deploy/nginx/tollgate.conf` in front of two gateways. Resolves when it listens.
 *
 * @param gateways host and port of each
 */
export async function startShippedNginx(
  t: { testdir(): string; teardown(handler: () => Promise<void>): void },
  program: string,
  gateways: readonly [string, string]
): Promise<string> {
  const directory = t.testdir()
  const port = await freePort()
  const server = readFileSync(workspaceFile('deploy/nginx/tollgate.conf'), 'utf8')
    .replace('127.0.0.1:8080', gateways[0])
    .replace('127.0.0.1:8081', gateways[1])
    .replace('127.0.0.1:8000', `127.0.0.1:${port}`)
  writeFileSync(join(directory, 'tollgate.conf'), server)
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${directory}/${name};`
  )
  const file = join(directory, 'nginx.conf')
  writeFileSync(
    file,
    `daemon off; pid ${directory}/nginx.pid; worker_processes 1; error_log stderr crit; events {}
     http { access_log off; ${paths.join(' ')} include ${directory}/tollgate.conf; }`
  )
  const child = spawn(program, ['-p', directory, '-c', file, '-e', 'stderr'], { stdio: 'inherit' })
  t.teardown(() => stop(child))
  const url = `http://127.0.0.1:${port}`
  while (!(await listens(url))) {
    if (child.exitCode !== null) throw new Error('nginx did not start')
    await delay(20)
  }
  return url
}

const listens = (url: string): Promise<boolean> =>
  fetch(url).then(
    () => true,
    () => false
  )

async function stop(child: ChildProcess): Promise<void> {
  child.kill('SIGTERM')
  if (child.exitCode === null) await once(child, 'close')
}
