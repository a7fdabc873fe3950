import assert from 'node:assert/strict'
import { test } from 'tap'
import { checkNewPassword, isAddress } from './credentials-form.ts'

const isRefused = (password: string, own: string[] = []): boolean => {
  try {
    checkNewPassword(password, 8, own)
    return false
  } catch (error) {
    assert.equal((error as { code: string }).code, 'weak_password')
    return true
  }
}

test('a new password has at least 8 characters and at most 72 bytes of any kind', async () => {
  for (const password of ['', 'a', 'xkw93#q', 'ä'.repeat(7), '😀'.repeat(7), 'x'.repeat(73), 'ä'.repeat(37)]) {
    assert.equal(isRefused(password), true, password)
  }
  for (const password of ['xkw93#qz', 'zwölfköniginnen', 'correct horse battery', '8462 9301 4471', 'ä'.repeat(36)]) {
    assert.equal(isRefused(password), false, password)
  }
  // OWASP ASVS 5.0, 6.2.9: at least 64 characters are permitted.
  assert.equal(isRefused('kx'.repeat(36)), false)
})

test('common passwords are refused in upper and lower case', async () => {
  for (const password of ['password', 'Password1', '12345678', 'qwertyuiop', 'ILOVEYOU1', 'football']) {
    assert.equal(isRefused(password), true, password)
  }
})

test('a password must be more than the name of the product or of its owner', async () => {
  for (const password of ['tollgate', 'Tollgate2026!', '123-tollgate-123', 'openai!!2026']) {
    assert.equal(isRefused(password), true, password)
  }
  const own = ['ada.lovelace@analytical.example', 'Ada Lovelace']
  for (const password of ['ada.lovelace', 'Lovelace1815', 'AdaLovelace!', 'analytical99', own[0]!]) {
    assert.equal(isRefused(password, own), true, password)
    assert.equal(isRefused(`${password} and a poem`, own), false, password)
  }
  assert.equal(isRefused('tollgate-demo'), false)
})

test('an address needs text on both sides of its @', async () => {
  assert.deepEqual(['a@b', 'a@b@c', 'a b@c', '@b', 'a@'].map(isAddress), [true, false, false, false, false])
})
