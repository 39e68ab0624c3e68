import { keepDoctorInformed } from './doctor-witness.ts';
import { watchModules } from './module-watch.ts';

// What `reenact doctor --as-is` brings into a command: it looks, and neither records nor patches.
keepDoctorInformed(process.env, (code) => process.exit(code));
watchModules();
