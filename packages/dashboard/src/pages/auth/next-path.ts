export { isReturnPath, returnPath as nextPath } from '@tollgate/contracts/http/return-path.ts'
