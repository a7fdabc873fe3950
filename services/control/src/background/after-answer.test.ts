import assert from 'node:assert/strict'
import { test } from 'tap'
import { createBackground } from './after-answer.ts'

const later = () => {
  let finish = () => {}
  const done = new Promise<void>((resolve) => {
    finish = resolve
  })
  return { done, finish }
}

test('work starts after the code that requested it, and its end can be awaited', async () => {
  const background = createBackground({ warn: () => assert.fail() })
  const order: string[] = []
  background.run('mail', async () => void order.push('work'))
  order.push('answer')
  await Promise.resolve()
  assert.deepEqual(order, ['answer'])
  await background.ended()
  assert.deepEqual(order, ['answer', 'work'])
})

test('the end waits for all work, including work that starts meanwhile', async () => {
  const background = createBackground({ warn: () => assert.fail() })
  let isSecondDone = false
  background.run('first', async () => {
    background.run('second', async () => {
      isSecondDone = true
    })
  })
  await background.ended()
  assert.equal(isSecondDone, true)
})

test('a failure is only logged', async () => {
  const warnings: unknown[] = []
  const background = createBackground({ warn: (line: unknown) => void warnings.push(line) })
  const err = new Error('away')
  background.run('mail', () => Promise.reject(err))
  await background.ended()
  assert.deepEqual(warnings, [{ err, what: 'mail' }])
})

test('above the cap no work starts until other work has ended', async () => {
  let warnings = 0
  const background = createBackground({ warn: () => void warnings++ }, 2)
  const { done, finish } = later()
  let begun = 0
  const task = () => {
    begun++
    return done
  }
  for (let count = 0; count < 5; count++) background.run('mail', task)
  assert.equal(warnings, 3)
  finish()
  await background.ended()
  assert.equal(begun, 2)
  background.run('mail', task)
  await background.ended()
  assert.equal(begun, 3)
})
