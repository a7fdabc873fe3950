import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import { test } from 'tap'

const blocks = [
  'map "$request_method $upstream_bytes_sent" $tollgate_without_answer',
  'location @too_large',
  'location = /nginx-errors/headers-too-large',
  'location = /nginx-errors/invalid-http',
  'location @unreachable',
  'location /v1/',
  'location @next_gateway'
]

/** The directives of a block, in order, without comments. */
function directivesOf(file: string, block: string): string[] {
  const text = readFileSync(workspaceFile(`deploy/${file}`), 'utf8')
  const begin = text.indexOf(`${block} {\n`)
  assert.notEqual(begin, -1, `${file} has: ${block}`)
  const lines = text.slice(begin + block.length + 2).split('\n')
  return lines
    .slice(
      0,
      lines.findIndex((line) => line.trim() === '}')
    )
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
}

for (const file of ['compose/nginx.conf', 'systemd/nginx.conf']) {
  test(`deploy/${file} has the rules of deploy/nginx/tollgate.conf for /v1`, async () => {
    for (const block of blocks) {
      const rules = directivesOf('nginx/tollgate.conf', block)
      assert.ok(rules.length > 0)
      assert.deepEqual(directivesOf(file, block), rules, block)
    }
    const text = readFileSync(workspaceFile(`deploy/${file}`), 'utf8')
    assert.match(text, /^ *client_max_body_size 20m;$/m)
    assert.match(text, /^ *error_page 414 494 =413 \/nginx-errors\/headers-too-large;$/m)
    assert.match(text, /^ *error_page 400 497 =400 \/nginx-errors\/invalid-http;$/m)
    assert.match(text, /^ *large_client_header_buffers 4 16k;$/m)
    assert.match(text, /^ *server [\w.-]+:8080 max_fails=0/m)
  })
}
