import assert from 'node:assert/strict'
import { test } from 'tap'
import { createMailboxes, mailboxOf } from './mailbox.ts'

test('all spellings of an address are one mailbox, and other addresses are not', async () => {
  const same = [
    ['Ada@Example.com', 'ada+1@example.com', 'ADA+a+b@example.com.', 'ada@EXAMPLE.COM'],
    ['ada.lovelace@gmail.com', 'adalovelace@googlemail.com', 'A.d.a.Lovelace+x.y@GMAIL.com'],
    ['ada@bücher.example', 'ada@xn--bcher-kva.example']
  ]
  for (const spellings of same) assert.equal(new Set(spellings.map(mailboxOf)).size, 1, spellings.join())
  const others = ['ada@example.com', 'a.da@example.com', 'ada@example.org', 'adam@example.com', 'ada@sub.example.com']
  assert.equal(new Set(others.map(mailboxOf)).size, others.length)
})

test('a digest needs the secret, and tells which secret made it', async () => {
  const [one, two] = [createMailboxes('one'), createMailboxes('two')]
  const digest = one.digest('ada@example.com')
  assert.equal(digest, createMailboxes('one').digest('Ada+1@example.com'))
  assert.notEqual(digest.split('.')[1], two.digest('ada@example.com').split('.')[1])
  assert.deepEqual([one.isPresent(digest), two.isPresent(digest)], [true, false])
  assert.doesNotMatch(digest, /ada|example/i)
})
