import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findProgram } from '@tollgate/sandbox/find-program.ts'
import { need } from '@tollgate/sandbox/need.ts'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import { test } from 'tap'
import { checksumsFile, readSigningKey, signatureFile, signPackage, writeChecksums } from './checksums.ts'
import { readSource, writeProvenance } from './provenance.ts'

const openssl = findProgram(['openssl'])
const pem = { format: 'pem', type: 'pkcs8' } as const

test('openssl accepts the signature of a package, and refuses it after any change of a checksum', async (t) => {
  if (!need(t, 'OpenSSL', openssl)) return
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const folder = t.testdir({ package: { 'main.js': 'a', sub: { b: 'b' } } })
  const packed = join(folder, 'package')
  const [keyFile, publicFile] = [join(folder, 'key'), join(folder, 'key.pub')]
  writeFileSync(keyFile, privateKey.export(pem))
  writeFileSync(publicFile, publicKey.export({ format: 'pem', type: 'spki' }))
  writeFileSync(join(packed, checksumsFile), writeChecksums(packed))
  signPackage(packed, readSigningKey(keyFile))
  // The command of docs/operate/install-package.md.
  const verify = () =>
    execFileSync(
      openssl!,
      ['pkeyutl', '-verify', '-pubin', '-inkey', publicFile, '-rawin', '-in', checksumsFile, '-sigfile', signatureFile],
      { cwd: packed, encoding: 'utf8', stdio: 'pipe' }
    )
  assert.match(verify(), /Signature Verified Successfully/)
  writeFileSync(join(packed, 'main.js'), 'changed')
  writeFileSync(join(packed, checksumsFile), writeChecksums(packed))
  assert.throws(verify)
})

test('the signature is not in the checksums that it signs', async (t) => {
  const folder = t.testdir({ a: 'a', [checksumsFile]: 'x', [signatureFile]: 'y' })
  assert.match(writeChecksums(folder), /^[0-9a-f]{64} {2}a\n$/)
})

test('only an Ed25519 key without a passphrase signs', async (t) => {
  const { privateKey } = generateKeyPairSync('ed25519')
  const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export(pem)
  const locked = privateKey.export({ ...pem, cipher: 'aes-256-cbc', passphrase: 'x' })
  const folder = t.testdir({ other, locked, text: 'x' })
  assert.throws(() => readSigningKey(join(folder, 'other')), /another kind than Ed25519/)
  for (const file of ['locked', 'text', 'missing']) {
    assert.throws(() => readSigningKey(join(folder, file)), /is not a private key in PEM without a passphrase/)
  }
})

test('the provenance names each file, the sources and the lock file', async () => {
  const checksums = `${'a'.repeat(64)}  main.js\n${'b'.repeat(64)}  lib/x y.js\n`
  const source = { commit: 'c'.repeat(40), isChanged: true }
  const root = workspaceFile('')
  const written = writeProvenance({ name: 'gateway', version: '1.2.3', checksums }, source, root)
  const { subject, predicate } = JSON.parse(written)
  assert.deepEqual(subject, [
    { name: 'main.js', digest: { sha256: 'a'.repeat(64) } },
    { name: 'lib/x y.js', digest: { sha256: 'b'.repeat(64) } }
  ])
  const { externalParameters, internalParameters, resolvedDependencies } = predicate.buildDefinition
  assert.deepEqual(externalParameters, { package: 'gateway', version: '1.2.3' })
  assert.equal(internalParameters.changedSinceCommit, true)
  assert.deepEqual(resolvedDependencies[0], { name: 'sources', digest: { gitCommit: 'c'.repeat(40) } })
  assert.match(resolvedDependencies[1].digest.sha256, /^[0-9a-f]{64}$/)
})

test('sources outside of a clone have no commit', async (t) => {
  // git would find the clone that this directory is in.
  assert.deepEqual(readSource(join(t.testdir(), 'missing')), { commit: null, isChanged: false })
})
