import { searchedName } from '../body/find-name.ts'

export const usageName = searchedName('usage')
