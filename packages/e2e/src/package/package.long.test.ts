import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Spec, Validation } from '@cyclonedx/cyclonedx-library'
import { makePackages } from '@tollgate/packaging/make-package.ts'
import { packagePlans } from '@tollgate/packaging/packages.ts'
import t from 'tap'

const folder = mkdtempSync(join(tmpdir(), 'tollgate-package-'))
t.teardown(() => rmSync(folder, { recursive: true }))

const textOf = (path: string) => readFileSync(join(folder, path), 'utf8')
const run = (args: string[]) => spawnSync(process.execPath, args, { encoding: 'utf8', env: { PATH: process.env.PATH } })

await makePackages(folder)

// The validator of CycloneDX needs ajv, ajv-formats and ajv-formats-draft2019, which are optional for its library.
// Without any of them, it throws. So package.json lists them, although only ajv is imported here.
t.test('the bill of materials is valid, and names what is bundled and its licences', async () => {
  const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6)
  for (const { name } of packagePlans) {
    const text = textOf(`${name}/sbom.cdx.json`)
    assert.equal(await validator.validate(text), null)
    assert.match(text, /pkg:npm\/fastify@5/)
    assert.equal(text.includes('pkg:npm/react@'), name === 'control')
    assert.ok(!/pkg:npm\/(tap|typescript|%40biomejs\/biome|rolldown|%40electric-sql\/pglite)@/.test(text))
    assert.match(textOf(`${name}/THIRD-PARTY-LICENSES.txt`), /\nfastify 5\S+\nLicence: MIT\n/)
  }
})

t.test('control’s package offers PostgreSQL, and not PGlite, which it does not contain', async () => {
  for (const url of ['', 'mysql://localhost/x', 'pglite:memory']) {
    const env = { PATH: process.env.PATH, DATABASE_URL: url }
    for (const args of [['main.js'], ['tollgate.js', 'doctor']]) {
      const [program, ...rest] = args
      const { stdout, stderr } = spawnSync(process.execPath, [join(folder, 'control', program!), ...rest], {
        encoding: 'utf8',
        env,
        cwd: folder
      })
      assert.match(stdout + stderr, /DATABASE_URL[\s\S]*postgres:\/\/user:password@host:5432\/database/)
      assert.doesNotMatch(stdout + stderr, /pglite:</)
    }
  }
})

t.test('a package that lacks a file, settings or a command says so in one sentence', async () => {
  const tollgate = run([join(folder, 'control/tollgate.js'), '--help'])
  assert.equal(tollgate.status, 0, tollgate.stderr)
  assert.match(tollgate.stdout, /doctor/)
  const gateway = run([join(folder, 'gateway/main.js')])
  assert.equal(gateway.status, 1)
  assert.match(gateway.stderr, /^gateway: .*REDIS_URL: missing/s)
  rmSync(join(folder, 'gateway/packages'), { recursive: true })
  const broken = run([join(folder, 'gateway/main.js')])
  assert.deepEqual([broken.status, broken.stdout], [1, ''])
  assert.match(
    broken.stderr,
    /^The package of Tollgate in \S+ lacks the file packages\/\S+\. Copy the package again\.\n$/
  )
})
