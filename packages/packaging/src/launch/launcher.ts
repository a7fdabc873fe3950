/** The oldest Node that runs the package. */
export const minNodeMajor = 24

/**
 * The file that an operator starts: checks the version of Node before it loads anything, so that an old Node prints the message
 * and no syntax error.
 *
 * @param program the name of the program in `lib`
 */
export function writeLauncher(program: string): string {
  return `if (Number.parseInt(process.versions.node, 10) < ${minNodeMajor}) {
  console.error('Tollgate needs Node ${minNodeMajor} or later. This is ' + process.version + '.')
  process.exit(1)
} else {
  import('./lib/launch.js').then(
    ({ launch }) => launch('${program}', new URL('.', import.meta.url)),
    (error) => {
      console.error('The package of Tollgate is incomplete. Copy it again. ' + error.message)
      process.exit(1)
    }
  )
}
`
}
