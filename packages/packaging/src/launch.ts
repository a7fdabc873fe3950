// No import: then this file needs no other file of the package.
const { existsSync, readFileSync } = process.getBuiltinModule('node:fs')
const { fileURLToPath } = process.getBuiltinModule('node:url')

/**
 * Starts a program of the package: checks that the package is complete, then runs the program.
 *
 * @param name the program's file in `lib`, without `.js`
 * @param root the folder of the package, with a slash at its end
 */
export async function launch(name: string, root: URL): Promise<void> {
  const missing = findMissing(root)
  if (missing !== null) {
    console.error(
      `The package of Tollgate in ${fileURLToPath(root)} lacks the file ${missing}. Copy the package again.`
    )
    process.exit(1)
  }
  // Traces of errors then name the files and lines of the sources.
  process.setSourceMapsEnabled(true)
  await import(new URL(`lib/${name}.js`, root).href)
}

/** The first missing file of the list; null if all exist. Operators may move their own copies of `deploy` elsewhere. */
function findMissing(root: URL): string | null {
  const list = new URL('SHA256SUMS', root)
  if (!existsSync(list)) return 'SHA256SUMS'
  const files = readFileSync(list, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => line.slice(line.indexOf(' ') + 2))
  return files.find((file) => !file.startsWith('deploy/') && !existsSync(new URL(file, root))) ?? null
}
