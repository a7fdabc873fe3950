// @ts-check
/**
 * What a test file of a group imports as `tap`: the subtest of that file, which run-group.ts sets before it imports the
 * file. Modules that several files share, such as `onDatabase`, so always add their tests to the file that runs.
 */

/** @type {import('tap').Test | null} */
let current = null

/** @param {import('tap').Test} t */
export function setCurrentTest(t) {
  current = t
}

export const t = /** @type {import('tap').Test} */ (
  new Proxy(
    {},
    {
      get(_, name) {
        if (current === null) throw new Error('no test file runs')
        const value = Reflect.get(current, name)
        return typeof value === 'function' ? value.bind(current) : value
      }
    }
  )
)

/** @param {unknown[]} args */
export const test = (...args) => Reflect.apply(t.test, undefined, args)
export default t
