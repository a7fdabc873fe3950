import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { isRetryable } from '@tollgate/contracts/errors/should-retry.ts'
import { type ErrorCode, errorTable } from '@tollgate/contracts/errors/table.ts'
import { findProgram } from '@tollgate/sandbox/find-program.ts'
import { freePort } from '@tollgate/sandbox/free-port.ts'
import { need } from '@tollgate/sandbox/need.ts'
import { ambiguousRequests, exchangeBytes } from '@tollgate/service/testing/ambiguous-requests.ts'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import t from 'tap'
import { chatOf } from '../testing/client.ts'
import { startFakeUpstream } from '../testing/fake-upstream.ts'
import { startGateway } from '../testing/start-gateway.ts'

const shipped = workspaceFile('deploy/nginx/tollgate.conf')
const nginx = findProgram(['nginx'])

t.test('the gateway and nginx in front of it see the same requests', async (t) => {
  if (!need(t, 'nginx', nginx)) return
  const upstream = await startFakeUpstream()
  const gateway = await startGateway(upstream.url)
  const { url, directory, stop } = await startNginx(t.testdir(), gateway.url)
  t.teardown(async () => {
    await stop()
    await gateway.close()
    await upstream.close()
  })

  const received: string[] = []
  gateway.server.prependListener('request', ({ method, url }) => received.push(`${method} ${url}`))
  const { secret } = await gateway.seedKey()
  const fields = `authorization: Bearer ${secret}\r\ncontent-type: application/json\r\nconnection: close\r\n`
  const parts = { method: 'POST', path: '/v1/chat/completions', fields, body: JSON.stringify(chatOf('small')) }
  for (const [, text] of ambiguousRequests(parts)) await exchangeBytes(url, text)
  // An unambiguous request, after all others. It fails if bytes of the others remain on a connection to the gateway.
  const plain = `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\n${fields}content-length: ${parts.body.length}\r\n\r\n${parts.body}`
  assert.match(await exchangeBytes(url, plain), /^HTTP\/1\.1 200 OK\r\n/)
  await stop()
  const passedOn = readFileSync(join(directory, 'passed-on.log'), 'latin1').split('\n').slice(0, -1)
  assert.deepEqual(
    received,
    passedOn.filter((request) => request.startsWith('POST'))
  )
  assert.deepEqual(new Set(passedOn), new Set(['GET /v1/openapi.json', 'POST /v1/chat/completions']))
  t.comment(`nginx passed on ${received.length - 1} ambiguous requests`)
})

t.test('nginx’s own errors have the shape of the gateway’s errors', async (t) => {
  if (!need(t, 'nginx', nginx)) return
  const upstream = await startFakeUpstream()
  const gateway = await startGateway(upstream.url)
  const { url, stop } = await startNginx(t.testdir(), gateway.url)
  let closing: Promise<void> | null = null
  const closeGateway = () => (closing ??= gateway.close())
  t.teardown(async () => {
    await stop()
    await closeGateway()
    await upstream.close()
  })
  const path = `${url}/v1/chat/completions`
  const expectError = async (answer: Response, code: ErrorCode) => {
    assert.equal(answer.status, errorTable[code][0], code)
    assert.match(answer.headers.get('content-type')!, /^application\/json/)
    assert.deepEqual(await answer.json(), new ServiceError(code).toBody())
    assert.equal(answer.headers.get('x-should-retry'), String(isRetryable(code, null)))
  }
  const large = await fetch(path, { method: 'POST', body: Buffer.alloc(20 * 1024 * 1024 + 1, ' ') })
  await expectError(large, 'request_too_large')
  assert.equal((await fetch(path)).status, 405, 'an error of the gateway passes as it is')
  await closeGateway()
  const away = await fetch(path, { method: 'POST', body: '{}' })
  await expectError(away, 'gateway_unreachable')
  assert.equal(away.headers.get('retry-after'), '2')
})

/** Starts nginx with the shipped configuration. Resolves when it answers. */
async function startNginx(directory: string, gatewayUrl: string) {
  const url = `http://127.0.0.1:${await freePort()}`
  const child = spawn(nginx!, ['-p', directory, '-c', configure(directory, url, gatewayUrl), '-e', 'stderr'], {
    stdio: 'ignore'
  })
  const isUp = () =>
    fetch(`${url}/v1/openapi.json`).then(
      // Unread, it would keep its connection.
      async (answer) => (await answer.text()) !== '' && answer.ok,
      () => false
    )
  while (!(await isUp())) if (child.exitCode !== null) throw new Error('nginx did not start')
  return {
    url,
    directory,
    async stop() {
      child.kill('SIGQUIT')
      if (child.exitCode === null) await once(child, 'exit')
    }
  }
}

/** Writes the shipped configuration, with a log of the requests that nginx passes on. @returns the file */
function configure(directory: string, url: string, gatewayUrl: string): string {
  const gateway = new URL(gatewayUrl).host
  const server = readFileSync(shipped, 'utf8')
    .replace('127.0.0.1:8080', gateway)
    .replace(/^ *server 127\.0\.0\.1:8081.*$/m, '')
    .replace('127.0.0.1:8000', new URL(url).host)
  writeFileSync(join(directory, 'tollgate.conf'), server)
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${directory}/${name};`
  )
  const file = join(directory, 'nginx.conf')
  writeFileSync(
    file,
    `daemon off; pid ${directory}/nginx.pid; worker_processes 1; events {}
     http {
       log_format passed '$request_method $request_uri';
       map $upstream_addr $is_passed_on { '' 0; default 1; }
       access_log ${directory}/passed-on.log passed if=$is_passed_on;
       ${paths.join(' ')} include ${directory}/tollgate.conf;
     }`
  )
  return file
}
