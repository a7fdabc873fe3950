/** The oldest Node that runs the package. */
export const minNodeMajor = 24

/**
 * The file that an operator starts: checks the version of Node before it loads anything, so that an old Node prints the message
 * and no syntax error.
 *
 * @param program the name of the program in `lib`
 * @param v8Flags set before the program is loaded
 */
export function writeLauncher(program: string, v8Flags: readonly string[]): string {
  const flags = v8Flags.map((flag) => `  process.getBuiltinModule('node:v8').setFlagsFromString('${flag}')\n`).join('')
  return `if (Number.parseInt(process.versions.node, 10) < ${minNodeMajor}) {
  console.error('Tollgate needs Node ${minNodeMajor} or later. This is ' + process.version + '.')
  process.exit(1)
} else {
${flags}  import('./lib/launch.js').then(
    ({ launch }) => launch('${program}', new URL('.', import.meta.url)),
    (error) => {
      if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error
      console.error('The package of Tollgate lacks the file lib/launch.js. Copy the package again.')
      process.exit(1)
    }
  )
}
`
}
