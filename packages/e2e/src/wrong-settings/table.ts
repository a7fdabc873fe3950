import { ofControl } from './of-control.ts'
import { ofGateway } from './of-gateway.ts'
import type { WrongSetting } from './wrong-setting.ts'

/** What control and the gateway say about wrong settings. A test starts them with each; the document is made from it. */
export const wrongSettings: readonly WrongSetting[] = [...ofControl, ...ofGateway]
