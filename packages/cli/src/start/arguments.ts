import { version } from '@tollgate/service/version.ts'

const usage = `npm start

Starts control, the gateway, and a stand-in for every service that is not configured. Ctrl+C stops them all.

Settings are read from the environment and from the file .env: .env.example lists them all. The most useful here:
  CONTROL_PORT, GATEWAY_PORT   the ports of the dashboard and of the models
  TOLLGATE_DATA_DIR            the directory of all data and logs (.tollgate)
  TOLLGATE_LOG=all             show every line of the logs
  TOLLGATE_DEMO_DATA=off       leave the demo account empty

npm start -- --version prints the version.`

/**
 * What to print instead of starting.
 *
 * @param given the arguments of the command
 * @returns null without arguments
 */
export function answerArguments(given: readonly string[]): { text: string; isRefusal: boolean } | null {
  if (given.includes('--help') || given.includes('-h')) return { text: usage, isRefusal: false }
  const unknown = given.find((argument) => argument !== '--version')
  if (unknown !== undefined) {
    const text = `Unknown argument: ${unknown}. Settings are environment variables: npm start -- --help`
    return { text, isRefusal: true }
  }
  return given.length > 0 ? { text: version, isRefusal: false } : null
}
