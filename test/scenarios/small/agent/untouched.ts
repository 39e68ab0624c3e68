// An agent without a single boundary.
console.log('nothing of this is instrumented');
