import assert from 'node:assert/strict'
import { test } from 'tap'
import { Type } from 'typebox'
import { ConfigError, loadConfig } from './load-config.ts'

const schema = Type.Object({
  PORT: Type.Integer({ minimum: 0, maximum: 65535, default: 3000 }),
  RATIO: Type.Optional(Type.Number()),
  VERBOSE: Type.Boolean({ default: false }),
  SECRET: Type.String({ minLength: 8 }),
  LEVEL: Type.Enum(['info', 'debug'], { default: 'info' }),
  NUMBERS_AS_TEXT: Type.String({ default: '' })
})
const env = { SECRET: 'a secret value' }

function problemsOf(values: Record<string, string | undefined>): readonly string[] {
  try {
    loadConfig(schema, values)
  } catch (error) {
    assert.ok(error instanceof ConfigError)
    return error.problems
  }
  return []
}

test('values are converted from text, and absent variables get their default', async () => {
  assert.deepEqual(
    loadConfig(schema, { ...env, PORT: '8080', RATIO: '0.5', VERBOSE: 'true', NUMBERS_AS_TEXT: '007' }),
    {
      PORT: 8080,
      RATIO: 0.5,
      VERBOSE: true,
      SECRET: 'a secret value',
      LEVEL: 'info',
      NUMBERS_AS_TEXT: '007'
    }
  )
  const { PORT, VERBOSE, RATIO } = loadConfig(schema, env)
  assert.deepEqual([PORT, VERBOSE, RATIO], [3000, false, undefined])
})

test('an empty variable counts as absent', async () => {
  assert.equal(loadConfig(schema, { ...env, PORT: '', RATIO: '' }).PORT, 3000)
  assert.deepEqual(problemsOf({ SECRET: '' }), ['SECRET: missing'])
})

test('variables that the schema does not name are ignored', async () => {
  assert.ok(!('PATH' in loadConfig(schema, { ...env, PATH: '/bin' })))
})

test('the result is frozen', async () => {
  assert.ok(Object.isFrozen(loadConfig(schema, env)))
})

test('one error names every bad variable and contains no value', async () => {
  const values = { PORT: 'http', RATIO: 'half', VERBOSE: 'perhaps', SECRET: 'short', LEVEL: 'loud' }
  const problems = problemsOf(values)
  for (const name of Object.keys(values)) {
    assert.ok(
      problems.some((problem) => problem.startsWith(`${name}: `)),
      `${name} is not named:\n${problems.join('\n')}`
    )
  }
  const text = new ConfigError(problems).message
  for (const value of Object.values(values)) assert.ok(!text.includes(value), `the message contains ${value}:\n${text}`)
})

test('numbers out of range, fractions for whole numbers and infinity are refused', async () => {
  for (const PORT of ['-1', '65536', '1.5', 'Infinity', 'NaN']) {
    assert.match(problemsOf({ ...env, PORT }).join(), /^PORT: /, PORT)
  }
})

test('rules across variables are checked only if each variable is valid', async () => {
  const rule = ({ PORT, VERBOSE }: { PORT: number; VERBOSE: boolean }) =>
    PORT === 80 && VERBOSE ? 'VERBOSE: not on port 80' : null
  const load = (values: Record<string, string>) => loadConfig(schema, { ...env, ...values }, [rule])
  assert.equal(load({ PORT: '80' }).PORT, 80)
  assert.throws(() => load({ PORT: '80', VERBOSE: 'true' }), { problems: ['VERBOSE: not on port 80'] })
  assert.throws(
    () => loadConfig(schema, { SECRET: 'short' }, [() => assert.fail('the rule must not be called')]),
    ConfigError
  )
})

test('each message names the cure', async () => {
  for (const [values, expected] of [
    [{ LEVEL: 'loud' }, 'LEVEL: must be one of info, debug'],
    [{ RATIO: '1,5' }, 'RATIO: must be a number: write a decimal point, not a comma'],
    [{ PORT: '70000' }, 'PORT: must be a whole number from 0 to 65535'],
    [{ PORT: 'tcp://10.0.0.1:80' }, /^PORT: must be a whole number .*enableServiceLinks: false/],
    [{ VERBOSE: 'perhaps' }, 'VERBOSE: must be true or false'],
    [{ SECRET: '"a secret value"' }, /^SECRET: the quotes around the value are part of it\. Remove them/],
    [{ SECRET: 'a secret value ' }, 'SECRET: ends with a space or a line break. Remove it'],
    [{ PORT: ' 80' }, 'PORT: begins with a space or a line break. Remove it']
  ] as const) {
    const [problem = '', ...others] = problemsOf({ ...env, ...values })
    if (typeof expected === 'string') assert.equal(problem, expected)
    else assert.match(problem, expected)
    assert.deepEqual(others, [])
  }
})

test('a missing variable says where to get it, and a wrong one what it must be', async () => {
  const described = Type.Object({
    KEY: Type.String({ pattern: '^sk_', where: 'Copy it from the dashboard', must: 'a key (sk_…)' })
  })
  assert.throws(() => loadConfig(described, {}), { problems: ['KEY: missing. Copy it from the dashboard'] })
  assert.throws(() => loadConfig(described, { KEY: 'pk_1' }), { problems: ['KEY: must be a key (sk_…)'] })
})
