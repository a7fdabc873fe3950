import type { Command } from '../commands/command.ts'
import { doctor } from '../doctor/doctor-command.ts'
import { mails } from '../mails/mails-command.ts'
import { migrate } from '../migrate/migrate-command.ts'
import { account } from '../operator/account.ts'
import { catalog } from '../operator/catalog.ts'
import { key } from '../operator/key.ts'
import { ledger } from '../operator/ledger.ts'
import { login, logout } from '../operator/login.ts'
import { projection } from '../operator/projection.ts'
import { usage } from '../operator/usage.ts'
import { restored } from '../restore/restored-command.ts'

/** Every command, in the order of the help. */
export const commandTable: readonly Command[] = [
  login,
  logout,
  account,
  key,
  catalog,
  usage,
  ledger,
  projection,
  migrate,
  restored,
  mails,
  doctor
]
