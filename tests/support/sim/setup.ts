import { afterAll } from 'vitest'
import { closeDatabases } from '../relay/sql.ts'

afterAll(closeDatabases)
