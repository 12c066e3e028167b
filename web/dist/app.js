/*! with uPlot (c) Leon Sorokin and three.js (c) three.js authors, both under the MIT licence */class qc extends Error{constructor(e,t){super(t),this.status=e}}function kn(i){return Uf(i,{})}function Rp(i,e){return Uf(i,{method:"POST",headers:{"Content-Type":"application/json"},body:JSON.stringify(e)})}async function Uf(i,e){let t;try{t=await fetch(i,e)}catch{throw new qc(0,"The server does not answer. Is megascale serve still running?")}if(t.ok)return await t.json();const n=await t.text();let s=n;try{s=JSON.parse(n).error}catch{}throw new qc(t.status,s)}function I(i,e={},...t){const[n,...s]=i.split("."),r=document.createElement(n||"div");s.length&&(r.className=s.join(" "));for(const[o,a]of Object.entries(e))a===void 0||a===!1||(typeof a=="function"?r.addEventListener(o.slice(2),a):r.setAttribute(o,a===!0?"":String(a)));for(const o of t)o&&r.append(o);return r}function nt(i,...e){i.replaceChildren(...e.filter(Boolean))}function Si(i,e){return I("label.field",{},I("span",{},i),e)}function Ii(i,e,t){const n=I("select",{onchange:()=>t(n.value)});let s=null;for(const r of i){const o=I("option",{value:r.value,selected:r.value===e},r.label);if(!r.group){n.append(o);continue}s?.getAttribute("label")!==r.group&&(s=I("optgroup",{label:r.group}),n.append(s)),s.append(o)}return n}function on(i,e,t="empty"){return I(`div.notice.${t}`,{role:t==="error"?"alert":"status"},I("h2",{},i),I("p",{},e))}function gr(i){const e=document.getElementById("live");e&&(e.textContent=i)}const If="megascale-theme",Ul=new Set;function Cp(){const i=localStorage.getItem(If);i&&(document.documentElement.dataset.theme=i),matchMedia("(prefers-color-scheme: dark)").addEventListener("change",Ff)}function Nf(){const i=document.documentElement.dataset.theme;return i?i==="dark":matchMedia("(prefers-color-scheme: dark)").matches}function Of(){const i=Nf()?"light":"dark";document.documentElement.dataset.theme=i,localStorage.setItem(If,i),Ff()}function Ff(){for(const i of Ul)i()}function aa(i){return Ul.add(i),()=>Ul.delete(i)}function kf(i){return i.match(/[0-9a-f]{2}/gi).map(e=>Number.parseInt(e,16))}function Ft(i){return getComputedStyle(document.documentElement).getPropertyValue(i).trim()}const Pp=[[1e15,"P"],[1e12,"T"],[1e9,"G"],[1e6,"M"],[1e3,"k"]];function xi(i,e=3){const t=Math.abs(i);for(const[n,s]of Pp)if(t>=n)return`${Ss(i/n,e)} ${s}`;return t!==0&&t<.001?i.toExponential(e-1):Ss(i,e)}function Ss(i,e){const t=Math.abs(i),n=t>=1?Math.max(0,e-1-Math.floor(Math.log10(t))):e;return i.toFixed(Math.min(n,6))}function Mn(i){const e=Math.abs(i);return e===0?"0 s":e<1e-6?`${Ss(i*1e9,3)} ns`:e<.001?`${Ss(i*1e6,3)} µs`:e<1?`${Ss(i*1e3,3)} ms`:e<120?`${Ss(i,3)} s`:_s(i)}function _s(i){const e=[[86400,"d"],[3600,"h"],[60,"min"],[1,"s"]],t=[];let n=Math.round(i);for(const[s,r]of e)if((n>=s||t.length&&t.length<2)&&(t.push(`${Math.floor(n/s)} ${r}`),n%=s),t.length===2)break;return t.join(" ")||"0 s"}function oi(i){const e=["B","KiB","MiB","GiB","TiB"];let t=0;for(;Math.abs(i)>=1024&&t+1<e.length;)i/=1024,t+=1;return`${t===0?i.toFixed(0):Ss(i,3)} ${e[t]}`}function Cn(i,e=1){return`${(100*i).toFixed(e)} %`}function Di(i,e){switch(e){case"seconds":return Mn(i);case"ratio":return Cn(i);case"bytes":return oi(i);default:return xi(i,4)+(e&&e!=="nats"?` ${e}`:"")}}const Lp=168,jc=10;function rn(i,e,t=""){return I("div.tile",{},I("span.label",{},i),I("span.value",{title:e},e),I("span.detail",{title:t},t))}function Dp(i,e){const t=Math.max(1,Math.floor((e+jc)/(Lp+jc)));return Math.max(1,Math.ceil(i/Math.ceil(i/t)))}class tc{element;observer=new ResizeObserver(()=>this.arrange());constructor(e){this.element=I("div.tiles",{role:"group","aria-label":e}),this.observer.observe(this.element)}show(e){nt(this.element,...e),this.arrange()}destroy(){this.observer.disconnect()}arrange(){this.element.style.gridTemplateColumns=`repeat(${Dp(this.element.childElementCount,this.element.clientWidth)}, minmax(0, 1fr))`}}const ka={stepping:"new steps",checkpoint_stall:"waiting for checkpoints",detection:"detecting faults",checks:"self-checks",restart:"starting and loading",repeated:"repeating lost steps",idle:"waiting"},Up=["member","spare"];function Ip(i,e){const t=I("div"),n=new tc("Where the job stands");i.append(t);let s=!1,r=0,o="",a="";function l(p,d,y){return I("div.scroll",{tabindex:0,role:"region","aria-label":p},I("table",{},I("thead",{},I("tr",{},...d.map(x=>I("th",{},x)))),I("tbody",{},...y)))}function c(...p){return I("tr",{},...p.map(d=>typeof d=="string"?I("td",{},d):d.tagName==="TD"?d:I("td",{},d)))}function u(p){const d=I("input",{size:44,maxlength:400,placeholder:"for the job's record"}),y=I("p.failure",{role:"alert",hidden:!0}),x=I("button.danger",{},`Evict ${p}`),b=I("dialog",{"aria-label":`Evict ${p}`},I("h2",{},`Evict ${p}?`),I("p",{},"The host gets no ranks of this job any more. If it has ranks now, the job goes back to its newest checkpoint and continues on other hosts."),I("p.muted",{},"megascale evict HOST --allow takes this back."),I("label.field",{},I("span",{},"Reason"),d),y,I("div.choices",{},I("button",{onclick:()=>b.close()},"Cancel"),x));x.addEventListener("click",()=>{x.disabled=!0,Rp(`/api/runs/${e.run.id}/evict`,{host:p,why:d.value}).then(()=>{a=`The driver was told to evict ${p}.`,gr(a),o="",b.close(),v()}).catch(H=>{y.hidden=!1,y.textContent=H.message,x.disabled=!1})}),b.addEventListener("close",()=>b.remove()),document.body.append(b),b.showModal()}function h(p,d){const[y,...x]=p.state.split(": "),b=d.incidents.filter(H=>H.host===p.host).length;return c(I("td",{},I("strong",{},p.host),d.status.driver_host===p.host?I("span.muted",{}," driver"):null),I("span",{},I(`span.state.${Up.includes(y)?"live":"lost"}`,{},y),x.length?` ${x.join(": ")}`:null),String(p.cores||"–"),String(b),...d.can_evict?[y!=="blocked"?I("button",{onclick:()=>u(p.host)},"Evict …"):""]:[])}function f(p){const{status:d}=p,y=d.exit_code===void 0?"":d.exit_code===0?"ended":"failed",x=y||(d.driver_lives?d.phase:"driver is gone"),b=y==="failed"?`exit code ${d.exit_code}`:!y&&!d.driver_lives?`last seen ${_s(d.silent_seconds)} ago`:`attempt ${d.attempt}`,H=d.hosts.filter(T=>T.state==="member").length;n.show([rn("State",x,b),rn("Effective training",Cn(d.effective),`of ${_s(d.seconds.wall)}`),rn("Steps",d.steps_done.toLocaleString("en"),d.checkpoint!==void 0?`checkpoint at ${d.checkpoint.toLocaleString("en")}`:"no checkpoint yet"),rn("Incidents",String(p.incidents.length),`${p.incidents.filter(T=>T.open).length} open`),rn("Hosts",String(d.hosts.length),`${H} with ranks`)])}function m(p){const{seconds:d,effective:y}=p.status,x=I("div.bar.tall",{role:"img","aria-label":`effective training ${Cn(y)}`});return Object.keys(ka).forEach((b,H)=>{const T=I(`span.memory-${H}`,{title:`${ka[b]}: ${_s(d[b]??0)}`});T.style.width=`${100*(d[b]??0)/(d.wall||1)}%`,x.append(T)}),[I("h2",{},"Where the time went"),x,I("div.legend",{},...Object.entries(ka).map(([b,H],T)=>I("span",{},I(`i.memory-${T}`),`${H} ${_s(d[b]??0)}`)))]}function _(p){f(p),nt(t,n.element,p.status.end?on("The job has failed",p.status.end,"error"):null,a?I("p.fine",{},a):null,...m(p),I("h2",{},"Hosts"),l("Hosts",p.can_evict?["Host","State","Cores","Incidents","Order"]:["Host","State","Cores","Incidents"],p.status.hosts.map(d=>h(d,p))),p.can_evict?null:I("p.muted",{},"To evict hosts from this page, give megascale serve the options --driver and --operator-cert."),I("h2",{},"Incidents"),p.incidents.length===0?I("p.fine",{},"None so far."):l("Incidents",["Number","What","Rule","Host","Step","Evidence","Action","Outcome"],p.incidents.slice().reverse().map(d=>c(String(d.number),d.what,I("code",{},d.rule),d.host,d.step>=0?String(d.step):"–",I("td.long",{},d.evidence),d.action,d.open?"open":`${d.outcome}${d.seconds!==void 0?` (${_s(d.seconds)})`:""}`))),I("h2",{},"Attempts"),l("Attempts",["Number","Resumed at step","Steps done","Outcome"],p.attempts.slice().reverse().map(d=>c(String(d.number),d.resumed_step>=0?String(d.resumed_step):"–",d.steps_done>=0?String(d.steps_done):"–",d.runs?"runs":d.outcome))))}async function v(){window.clearTimeout(r);try{const p=await kn(`/api/runs/${e.run.id}/job`),d=JSON.stringify(p);!s&&d!==o&&!(t.contains(document.activeElement)&&o!==""&&Np(o,d))&&(o=d,_(p))}catch(p){const d=p;o="",s||nt(t,on(d.status===404?"No driver":"The record cannot be read",d.message,d.status===404?"empty":"error"))}s||(r=window.setTimeout(()=>void v(),3e3))}return v(),{leave(){s=!0,window.clearTimeout(r),n.destroy()}}}function Np(i,e){const t=n=>{const s=JSON.parse(n),{phase:r,driver_lives:o,attempt:a,hosts:l}=s.status;return JSON.stringify([r,o,a,l,s.incidents,s.attempts])};return t(i)===t(e)}const Op=.2,Fp=[37,99,201],kp=[204,62,28],Bp=[226,229,235],zp=[58,64,75],Ba=64;function Bf(){const i=Nf()?zp:Bp,e=Array.from({length:2*Ba+1},(t,n)=>{const s=n/Ba-1,r=s<0?Fp:kp,[o,a,l]=i.map((c,u)=>Math.round(c+(r[u]-c)*Math.abs(s)**.8));return{css:`rgb(${o} ${a} ${l})`,rgb:[o,a,l],is_light:.299*o+.587*a+.114*l>140}});return t=>e[Math.round((1+Math.max(-1,Math.min(1,t/Op)))*Ba)]}const po=[[44,62,140],[33,118,152],[46,160,122],[150,190,70],[240,205,60]];function Hp(i){const e=Math.max(0,Math.min(1,i))*(po.length-1),t=Math.min(po.length-2,Math.floor(e));return po[t].map((n,s)=>n+(po[t+1][s]-n)*(e-t))}const Vp={usual:[92,128,178],slow:[224,130,36],stuck:[214,40,40],waits:[216,178,70],unknown:[148,156,170]};function Kc(i){return Vp[i]}const Zc=["#4c7fd6","#3f9e7b","#c98a2b","#8f66c4","#c2587f","#4aa3b5","#8a9a3b","#b5643c","#6d78a8","#7d9b6a"];function Gp(i){return Zc[i%Zc.length]}const Wp={exposed_comm:"--idle-exposed",bubble:"--idle-bubble",data_wait:"--idle-data"};/**
 * @license
 * Copyright 2010-2024 Three.js Authors
 * SPDX-License-Identifier: MIT
 */const nc="164",Gs={ROTATE:0,DOLLY:1,PAN:2},Ws={ROTATE:0,PAN:1,DOLLY_PAN:2,DOLLY_ROTATE:3},Xp=0,Jc=1,$p=2,zf=1,Yp=2,Li=3,ns=0,Pn=1,ai=2,es=0,fr=1,Qc=2,eu=3,tu=4,qp=5,vs=100,jp=101,Kp=102,Zp=103,Jp=104,Qp=200,em=201,tm=202,nm=203,Il=204,Nl=205,im=206,sm=207,rm=208,om=209,am=210,lm=211,cm=212,um=213,hm=214,fm=0,dm=1,pm=2,Ko=3,mm=4,gm=5,_m=6,vm=7,Hf=0,xm=1,Mm=2,ts=0,Sm=1,ym=2,Em=3,bm=4,wm=5,Tm=6,Am=7,Vf=300,_r=301,vr=302,Ol=303,Fl=304,la=306,kl=1e3,ys=1001,Bl=1002,An=1003,Rm=1004,mo=1005,li=1006,za=1007,Es=1008,is=1009,Cm=1010,Pm=1011,Gf=1012,Wf=1013,xr=1014,Qi=1015,ca=1016,Xf=1017,$f=1018,io=1020,Lm=35902,Dm=1021,Um=1022,Mi=1023,Im=1024,Nm=1025,dr=1026,Jr=1027,Om=1028,Yf=1029,Fm=1030,qf=1031,jf=1033,Ha=33776,Va=33777,Ga=33778,Wa=33779,nu=35840,iu=35841,su=35842,ru=35843,ou=36196,au=37492,lu=37496,cu=37808,uu=37809,hu=37810,fu=37811,du=37812,pu=37813,mu=37814,gu=37815,_u=37816,vu=37817,xu=37818,Mu=37819,Su=37820,yu=37821,Xa=36492,Eu=36494,bu=36495,km=36283,wu=36284,Tu=36285,Au=36286,Bm=3200,zm=3201,Hm=0,Vm=1,Ji="",gi="srgb",ki="srgb-linear",ic="display-p3",ua="display-p3-linear",Zo="linear",Pt="srgb",Jo="rec709",Qo="p3",Xs=7680,Ru=519,Gm=512,Wm=513,Xm=514,Kf=515,$m=516,Ym=517,qm=518,jm=519,Cu=35044,Km=35048,Pu="300 es",Ui=2e3,ea=2001;class Cs{addEventListener(e,t){this._listeners===void 0&&(this._listeners={});const n=this._listeners;n[e]===void 0&&(n[e]=[]),n[e].indexOf(t)===-1&&n[e].push(t)}hasEventListener(e,t){if(this._listeners===void 0)return!1;const n=this._listeners;return n[e]!==void 0&&n[e].indexOf(t)!==-1}removeEventListener(e,t){if(this._listeners===void 0)return;const s=this._listeners[e];if(s!==void 0){const r=s.indexOf(t);r!==-1&&s.splice(r,1)}}dispatchEvent(e){if(this._listeners===void 0)return;const n=this._listeners[e.type];if(n!==void 0){e.target=this;const s=n.slice(0);for(let r=0,o=s.length;r<o;r++)s[r].call(this,e);e.target=null}}}const fn=["00","01","02","03","04","05","06","07","08","09","0a","0b","0c","0d","0e","0f","10","11","12","13","14","15","16","17","18","19","1a","1b","1c","1d","1e","1f","20","21","22","23","24","25","26","27","28","29","2a","2b","2c","2d","2e","2f","30","31","32","33","34","35","36","37","38","39","3a","3b","3c","3d","3e","3f","40","41","42","43","44","45","46","47","48","49","4a","4b","4c","4d","4e","4f","50","51","52","53","54","55","56","57","58","59","5a","5b","5c","5d","5e","5f","60","61","62","63","64","65","66","67","68","69","6a","6b","6c","6d","6e","6f","70","71","72","73","74","75","76","77","78","79","7a","7b","7c","7d","7e","7f","80","81","82","83","84","85","86","87","88","89","8a","8b","8c","8d","8e","8f","90","91","92","93","94","95","96","97","98","99","9a","9b","9c","9d","9e","9f","a0","a1","a2","a3","a4","a5","a6","a7","a8","a9","aa","ab","ac","ad","ae","af","b0","b1","b2","b3","b4","b5","b6","b7","b8","b9","ba","bb","bc","bd","be","bf","c0","c1","c2","c3","c4","c5","c6","c7","c8","c9","ca","cb","cc","cd","ce","cf","d0","d1","d2","d3","d4","d5","d6","d7","d8","d9","da","db","dc","dd","de","df","e0","e1","e2","e3","e4","e5","e6","e7","e8","e9","ea","eb","ec","ed","ee","ef","f0","f1","f2","f3","f4","f5","f6","f7","f8","f9","fa","fb","fc","fd","fe","ff"],Wo=Math.PI/180,zl=180/Math.PI;function so(){const i=Math.random()*4294967295|0,e=Math.random()*4294967295|0,t=Math.random()*4294967295|0,n=Math.random()*4294967295|0;return(fn[i&255]+fn[i>>8&255]+fn[i>>16&255]+fn[i>>24&255]+"-"+fn[e&255]+fn[e>>8&255]+"-"+fn[e>>16&15|64]+fn[e>>24&255]+"-"+fn[t&63|128]+fn[t>>8&255]+"-"+fn[t>>16&255]+fn[t>>24&255]+fn[n&255]+fn[n>>8&255]+fn[n>>16&255]+fn[n>>24&255]).toLowerCase()}function cn(i,e,t){return Math.max(e,Math.min(t,i))}function Zm(i,e){return(i%e+e)%e}function $a(i,e,t){return(1-t)*i+t*e}function Fr(i,e){switch(e.constructor){case Float32Array:return i;case Uint32Array:return i/4294967295;case Uint16Array:return i/65535;case Uint8Array:return i/255;case Int32Array:return Math.max(i/2147483647,-1);case Int16Array:return Math.max(i/32767,-1);case Int8Array:return Math.max(i/127,-1);default:throw new Error("Invalid component type.")}}function wn(i,e){switch(e.constructor){case Float32Array:return i;case Uint32Array:return Math.round(i*4294967295);case Uint16Array:return Math.round(i*65535);case Uint8Array:return Math.round(i*255);case Int32Array:return Math.round(i*2147483647);case Int16Array:return Math.round(i*32767);case Int8Array:return Math.round(i*127);default:throw new Error("Invalid component type.")}}const Jm={DEG2RAD:Wo};class ze{constructor(e=0,t=0){ze.prototype.isVector2=!0,this.x=e,this.y=t}get width(){return this.x}set width(e){this.x=e}get height(){return this.y}set height(e){this.y=e}set(e,t){return this.x=e,this.y=t,this}setScalar(e){return this.x=e,this.y=e,this}setX(e){return this.x=e,this}setY(e){return this.y=e,this}setComponent(e,t){switch(e){case 0:this.x=t;break;case 1:this.y=t;break;default:throw new Error("index is out of range: "+e)}return this}getComponent(e){switch(e){case 0:return this.x;case 1:return this.y;default:throw new Error("index is out of range: "+e)}}clone(){return new this.constructor(this.x,this.y)}copy(e){return this.x=e.x,this.y=e.y,this}add(e){return this.x+=e.x,this.y+=e.y,this}addScalar(e){return this.x+=e,this.y+=e,this}addVectors(e,t){return this.x=e.x+t.x,this.y=e.y+t.y,this}addScaledVector(e,t){return this.x+=e.x*t,this.y+=e.y*t,this}sub(e){return this.x-=e.x,this.y-=e.y,this}subScalar(e){return this.x-=e,this.y-=e,this}subVectors(e,t){return this.x=e.x-t.x,this.y=e.y-t.y,this}multiply(e){return this.x*=e.x,this.y*=e.y,this}multiplyScalar(e){return this.x*=e,this.y*=e,this}divide(e){return this.x/=e.x,this.y/=e.y,this}divideScalar(e){return this.multiplyScalar(1/e)}applyMatrix3(e){const t=this.x,n=this.y,s=e.elements;return this.x=s[0]*t+s[3]*n+s[6],this.y=s[1]*t+s[4]*n+s[7],this}min(e){return this.x=Math.min(this.x,e.x),this.y=Math.min(this.y,e.y),this}max(e){return this.x=Math.max(this.x,e.x),this.y=Math.max(this.y,e.y),this}clamp(e,t){return this.x=Math.max(e.x,Math.min(t.x,this.x)),this.y=Math.max(e.y,Math.min(t.y,this.y)),this}clampScalar(e,t){return this.x=Math.max(e,Math.min(t,this.x)),this.y=Math.max(e,Math.min(t,this.y)),this}clampLength(e,t){const n=this.length();return this.divideScalar(n||1).multiplyScalar(Math.max(e,Math.min(t,n)))}floor(){return this.x=Math.floor(this.x),this.y=Math.floor(this.y),this}ceil(){return this.x=Math.ceil(this.x),this.y=Math.ceil(this.y),this}round(){return this.x=Math.round(this.x),this.y=Math.round(this.y),this}roundToZero(){return this.x=Math.trunc(this.x),this.y=Math.trunc(this.y),this}negate(){return this.x=-this.x,this.y=-this.y,this}dot(e){return this.x*e.x+this.y*e.y}cross(e){return this.x*e.y-this.y*e.x}lengthSq(){return this.x*this.x+this.y*this.y}length(){return Math.sqrt(this.x*this.x+this.y*this.y)}manhattanLength(){return Math.abs(this.x)+Math.abs(this.y)}normalize(){return this.divideScalar(this.length()||1)}angle(){return Math.atan2(-this.y,-this.x)+Math.PI}angleTo(e){const t=Math.sqrt(this.lengthSq()*e.lengthSq());if(t===0)return Math.PI/2;const n=this.dot(e)/t;return Math.acos(cn(n,-1,1))}distanceTo(e){return Math.sqrt(this.distanceToSquared(e))}distanceToSquared(e){const t=this.x-e.x,n=this.y-e.y;return t*t+n*n}manhattanDistanceTo(e){return Math.abs(this.x-e.x)+Math.abs(this.y-e.y)}setLength(e){return this.normalize().multiplyScalar(e)}lerp(e,t){return this.x+=(e.x-this.x)*t,this.y+=(e.y-this.y)*t,this}lerpVectors(e,t,n){return this.x=e.x+(t.x-e.x)*n,this.y=e.y+(t.y-e.y)*n,this}equals(e){return e.x===this.x&&e.y===this.y}fromArray(e,t=0){return this.x=e[t],this.y=e[t+1],this}toArray(e=[],t=0){return e[t]=this.x,e[t+1]=this.y,e}fromBufferAttribute(e,t){return this.x=e.getX(t),this.y=e.getY(t),this}rotateAround(e,t){const n=Math.cos(t),s=Math.sin(t),r=this.x-e.x,o=this.y-e.y;return this.x=r*n-o*s+e.x,this.y=r*s+o*n+e.y,this}random(){return this.x=Math.random(),this.y=Math.random(),this}*[Symbol.iterator](){yield this.x,yield this.y}}class rt{constructor(e,t,n,s,r,o,a,l,c){rt.prototype.isMatrix3=!0,this.elements=[1,0,0,0,1,0,0,0,1],e!==void 0&&this.set(e,t,n,s,r,o,a,l,c)}set(e,t,n,s,r,o,a,l,c){const u=this.elements;return u[0]=e,u[1]=s,u[2]=a,u[3]=t,u[4]=r,u[5]=l,u[6]=n,u[7]=o,u[8]=c,this}identity(){return this.set(1,0,0,0,1,0,0,0,1),this}copy(e){const t=this.elements,n=e.elements;return t[0]=n[0],t[1]=n[1],t[2]=n[2],t[3]=n[3],t[4]=n[4],t[5]=n[5],t[6]=n[6],t[7]=n[7],t[8]=n[8],this}extractBasis(e,t,n){return e.setFromMatrix3Column(this,0),t.setFromMatrix3Column(this,1),n.setFromMatrix3Column(this,2),this}setFromMatrix4(e){const t=e.elements;return this.set(t[0],t[4],t[8],t[1],t[5],t[9],t[2],t[6],t[10]),this}multiply(e){return this.multiplyMatrices(this,e)}premultiply(e){return this.multiplyMatrices(e,this)}multiplyMatrices(e,t){const n=e.elements,s=t.elements,r=this.elements,o=n[0],a=n[3],l=n[6],c=n[1],u=n[4],h=n[7],f=n[2],m=n[5],_=n[8],v=s[0],p=s[3],d=s[6],y=s[1],x=s[4],b=s[7],H=s[2],T=s[5],R=s[8];return r[0]=o*v+a*y+l*H,r[3]=o*p+a*x+l*T,r[6]=o*d+a*b+l*R,r[1]=c*v+u*y+h*H,r[4]=c*p+u*x+h*T,r[7]=c*d+u*b+h*R,r[2]=f*v+m*y+_*H,r[5]=f*p+m*x+_*T,r[8]=f*d+m*b+_*R,this}multiplyScalar(e){const t=this.elements;return t[0]*=e,t[3]*=e,t[6]*=e,t[1]*=e,t[4]*=e,t[7]*=e,t[2]*=e,t[5]*=e,t[8]*=e,this}determinant(){const e=this.elements,t=e[0],n=e[1],s=e[2],r=e[3],o=e[4],a=e[5],l=e[6],c=e[7],u=e[8];return t*o*u-t*a*c-n*r*u+n*a*l+s*r*c-s*o*l}invert(){const e=this.elements,t=e[0],n=e[1],s=e[2],r=e[3],o=e[4],a=e[5],l=e[6],c=e[7],u=e[8],h=u*o-a*c,f=a*l-u*r,m=c*r-o*l,_=t*h+n*f+s*m;if(_===0)return this.set(0,0,0,0,0,0,0,0,0);const v=1/_;return e[0]=h*v,e[1]=(s*c-u*n)*v,e[2]=(a*n-s*o)*v,e[3]=f*v,e[4]=(u*t-s*l)*v,e[5]=(s*r-a*t)*v,e[6]=m*v,e[7]=(n*l-c*t)*v,e[8]=(o*t-n*r)*v,this}transpose(){let e;const t=this.elements;return e=t[1],t[1]=t[3],t[3]=e,e=t[2],t[2]=t[6],t[6]=e,e=t[5],t[5]=t[7],t[7]=e,this}getNormalMatrix(e){return this.setFromMatrix4(e).invert().transpose()}transposeIntoArray(e){const t=this.elements;return e[0]=t[0],e[1]=t[3],e[2]=t[6],e[3]=t[1],e[4]=t[4],e[5]=t[7],e[6]=t[2],e[7]=t[5],e[8]=t[8],this}setUvTransform(e,t,n,s,r,o,a){const l=Math.cos(r),c=Math.sin(r);return this.set(n*l,n*c,-n*(l*o+c*a)+o+e,-s*c,s*l,-s*(-c*o+l*a)+a+t,0,0,1),this}scale(e,t){return this.premultiply(Ya.makeScale(e,t)),this}rotate(e){return this.premultiply(Ya.makeRotation(-e)),this}translate(e,t){return this.premultiply(Ya.makeTranslation(e,t)),this}makeTranslation(e,t){return e.isVector2?this.set(1,0,e.x,0,1,e.y,0,0,1):this.set(1,0,e,0,1,t,0,0,1),this}makeRotation(e){const t=Math.cos(e),n=Math.sin(e);return this.set(t,-n,0,n,t,0,0,0,1),this}makeScale(e,t){return this.set(e,0,0,0,t,0,0,0,1),this}equals(e){const t=this.elements,n=e.elements;for(let s=0;s<9;s++)if(t[s]!==n[s])return!1;return!0}fromArray(e,t=0){for(let n=0;n<9;n++)this.elements[n]=e[n+t];return this}toArray(e=[],t=0){const n=this.elements;return e[t]=n[0],e[t+1]=n[1],e[t+2]=n[2],e[t+3]=n[3],e[t+4]=n[4],e[t+5]=n[5],e[t+6]=n[6],e[t+7]=n[7],e[t+8]=n[8],e}clone(){return new this.constructor().fromArray(this.elements)}}const Ya=new rt;function Zf(i){for(let e=i.length-1;e>=0;--e)if(i[e]>=65535)return!0;return!1}function ta(i){return document.createElementNS("http://www.w3.org/1999/xhtml",i)}function Qm(){const i=ta("canvas");return i.style.display="block",i}const Lu={};function eg(i){i in Lu||(Lu[i]=!0,console.warn(i))}const Du=new rt().set(.8224621,.177538,0,.0331941,.9668058,0,.0170827,.0723974,.9105199),Uu=new rt().set(1.2249401,-.2249404,0,-.0420569,1.0420571,0,-.0196376,-.0786361,1.0982735),go={[ki]:{transfer:Zo,primaries:Jo,toReference:i=>i,fromReference:i=>i},[gi]:{transfer:Pt,primaries:Jo,toReference:i=>i.convertSRGBToLinear(),fromReference:i=>i.convertLinearToSRGB()},[ua]:{transfer:Zo,primaries:Qo,toReference:i=>i.applyMatrix3(Uu),fromReference:i=>i.applyMatrix3(Du)},[ic]:{transfer:Pt,primaries:Qo,toReference:i=>i.convertSRGBToLinear().applyMatrix3(Uu),fromReference:i=>i.applyMatrix3(Du).convertLinearToSRGB()}},tg=new Set([ki,ua]),vt={enabled:!0,_workingColorSpace:ki,get workingColorSpace(){return this._workingColorSpace},set workingColorSpace(i){if(!tg.has(i))throw new Error(`Unsupported working color space, "${i}".`);this._workingColorSpace=i},convert:function(i,e,t){if(this.enabled===!1||e===t||!e||!t)return i;const n=go[e].toReference,s=go[t].fromReference;return s(n(i))},fromWorkingColorSpace:function(i,e){return this.convert(i,this._workingColorSpace,e)},toWorkingColorSpace:function(i,e){return this.convert(i,e,this._workingColorSpace)},getPrimaries:function(i){return go[i].primaries},getTransfer:function(i){return i===Ji?Zo:go[i].transfer}};function pr(i){return i<.04045?i*.0773993808:Math.pow(i*.9478672986+.0521327014,2.4)}function qa(i){return i<.0031308?i*12.92:1.055*Math.pow(i,.41666)-.055}let $s;class ng{static getDataURL(e){if(/^data:/i.test(e.src)||typeof HTMLCanvasElement>"u")return e.src;let t;if(e instanceof HTMLCanvasElement)t=e;else{$s===void 0&&($s=ta("canvas")),$s.width=e.width,$s.height=e.height;const n=$s.getContext("2d");e instanceof ImageData?n.putImageData(e,0,0):n.drawImage(e,0,0,e.width,e.height),t=$s}return t.width>2048||t.height>2048?(console.warn("THREE.ImageUtils.getDataURL: Image converted to jpg for performance reasons",e),t.toDataURL("image/jpeg",.6)):t.toDataURL("image/png")}static sRGBToLinear(e){if(typeof HTMLImageElement<"u"&&e instanceof HTMLImageElement||typeof HTMLCanvasElement<"u"&&e instanceof HTMLCanvasElement||typeof ImageBitmap<"u"&&e instanceof ImageBitmap){const t=ta("canvas");t.width=e.width,t.height=e.height;const n=t.getContext("2d");n.drawImage(e,0,0,e.width,e.height);const s=n.getImageData(0,0,e.width,e.height),r=s.data;for(let o=0;o<r.length;o++)r[o]=pr(r[o]/255)*255;return n.putImageData(s,0,0),t}else if(e.data){const t=e.data.slice(0);for(let n=0;n<t.length;n++)t instanceof Uint8Array||t instanceof Uint8ClampedArray?t[n]=Math.floor(pr(t[n]/255)*255):t[n]=pr(t[n]);return{data:t,width:e.width,height:e.height}}else return console.warn("THREE.ImageUtils.sRGBToLinear(): Unsupported image type. No color space conversion applied."),e}}let ig=0;class Jf{constructor(e=null){this.isSource=!0,Object.defineProperty(this,"id",{value:ig++}),this.uuid=so(),this.data=e,this.dataReady=!0,this.version=0}set needsUpdate(e){e===!0&&this.version++}toJSON(e){const t=e===void 0||typeof e=="string";if(!t&&e.images[this.uuid]!==void 0)return e.images[this.uuid];const n={uuid:this.uuid,url:""},s=this.data;if(s!==null){let r;if(Array.isArray(s)){r=[];for(let o=0,a=s.length;o<a;o++)s[o].isDataTexture?r.push(ja(s[o].image)):r.push(ja(s[o]))}else r=ja(s);n.url=r}return t||(e.images[this.uuid]=n),n}}function ja(i){return typeof HTMLImageElement<"u"&&i instanceof HTMLImageElement||typeof HTMLCanvasElement<"u"&&i instanceof HTMLCanvasElement||typeof ImageBitmap<"u"&&i instanceof ImageBitmap?ng.getDataURL(i):i.data?{data:Array.from(i.data),width:i.width,height:i.height,type:i.data.constructor.name}:(console.warn("THREE.Texture: Unable to serialize Texture."),{})}let sg=0;class yn extends Cs{constructor(e=yn.DEFAULT_IMAGE,t=yn.DEFAULT_MAPPING,n=ys,s=ys,r=li,o=Es,a=Mi,l=is,c=yn.DEFAULT_ANISOTROPY,u=Ji){super(),this.isTexture=!0,Object.defineProperty(this,"id",{value:sg++}),this.uuid=so(),this.name="",this.source=new Jf(e),this.mipmaps=[],this.mapping=t,this.channel=0,this.wrapS=n,this.wrapT=s,this.magFilter=r,this.minFilter=o,this.anisotropy=c,this.format=a,this.internalFormat=null,this.type=l,this.offset=new ze(0,0),this.repeat=new ze(1,1),this.center=new ze(0,0),this.rotation=0,this.matrixAutoUpdate=!0,this.matrix=new rt,this.generateMipmaps=!0,this.premultiplyAlpha=!1,this.flipY=!0,this.unpackAlignment=4,this.colorSpace=u,this.userData={},this.version=0,this.onUpdate=null,this.isRenderTargetTexture=!1,this.pmremVersion=0}get image(){return this.source.data}set image(e=null){this.source.data=e}updateMatrix(){this.matrix.setUvTransform(this.offset.x,this.offset.y,this.repeat.x,this.repeat.y,this.rotation,this.center.x,this.center.y)}clone(){return new this.constructor().copy(this)}copy(e){return this.name=e.name,this.source=e.source,this.mipmaps=e.mipmaps.slice(0),this.mapping=e.mapping,this.channel=e.channel,this.wrapS=e.wrapS,this.wrapT=e.wrapT,this.magFilter=e.magFilter,this.minFilter=e.minFilter,this.anisotropy=e.anisotropy,this.format=e.format,this.internalFormat=e.internalFormat,this.type=e.type,this.offset.copy(e.offset),this.repeat.copy(e.repeat),this.center.copy(e.center),this.rotation=e.rotation,this.matrixAutoUpdate=e.matrixAutoUpdate,this.matrix.copy(e.matrix),this.generateMipmaps=e.generateMipmaps,this.premultiplyAlpha=e.premultiplyAlpha,this.flipY=e.flipY,this.unpackAlignment=e.unpackAlignment,this.colorSpace=e.colorSpace,this.userData=JSON.parse(JSON.stringify(e.userData)),this.needsUpdate=!0,this}toJSON(e){const t=e===void 0||typeof e=="string";if(!t&&e.textures[this.uuid]!==void 0)return e.textures[this.uuid];const n={metadata:{version:4.6,type:"Texture",generator:"Texture.toJSON"},uuid:this.uuid,name:this.name,image:this.source.toJSON(e).uuid,mapping:this.mapping,channel:this.channel,repeat:[this.repeat.x,this.repeat.y],offset:[this.offset.x,this.offset.y],center:[this.center.x,this.center.y],rotation:this.rotation,wrap:[this.wrapS,this.wrapT],format:this.format,internalFormat:this.internalFormat,type:this.type,colorSpace:this.colorSpace,minFilter:this.minFilter,magFilter:this.magFilter,anisotropy:this.anisotropy,flipY:this.flipY,generateMipmaps:this.generateMipmaps,premultiplyAlpha:this.premultiplyAlpha,unpackAlignment:this.unpackAlignment};return Object.keys(this.userData).length>0&&(n.userData=this.userData),t||(e.textures[this.uuid]=n),n}dispose(){this.dispatchEvent({type:"dispose"})}transformUv(e){if(this.mapping!==Vf)return e;if(e.applyMatrix3(this.matrix),e.x<0||e.x>1)switch(this.wrapS){case kl:e.x=e.x-Math.floor(e.x);break;case ys:e.x=e.x<0?0:1;break;case Bl:Math.abs(Math.floor(e.x)%2)===1?e.x=Math.ceil(e.x)-e.x:e.x=e.x-Math.floor(e.x);break}if(e.y<0||e.y>1)switch(this.wrapT){case kl:e.y=e.y-Math.floor(e.y);break;case ys:e.y=e.y<0?0:1;break;case Bl:Math.abs(Math.floor(e.y)%2)===1?e.y=Math.ceil(e.y)-e.y:e.y=e.y-Math.floor(e.y);break}return this.flipY&&(e.y=1-e.y),e}set needsUpdate(e){e===!0&&(this.version++,this.source.needsUpdate=!0)}set needsPMREMUpdate(e){e===!0&&this.pmremVersion++}}yn.DEFAULT_IMAGE=null;yn.DEFAULT_MAPPING=Vf;yn.DEFAULT_ANISOTROPY=1;class un{constructor(e=0,t=0,n=0,s=1){un.prototype.isVector4=!0,this.x=e,this.y=t,this.z=n,this.w=s}get width(){return this.z}set width(e){this.z=e}get height(){return this.w}set height(e){this.w=e}set(e,t,n,s){return this.x=e,this.y=t,this.z=n,this.w=s,this}setScalar(e){return this.x=e,this.y=e,this.z=e,this.w=e,this}setX(e){return this.x=e,this}setY(e){return this.y=e,this}setZ(e){return this.z=e,this}setW(e){return this.w=e,this}setComponent(e,t){switch(e){case 0:this.x=t;break;case 1:this.y=t;break;case 2:this.z=t;break;case 3:this.w=t;break;default:throw new Error("index is out of range: "+e)}return this}getComponent(e){switch(e){case 0:return this.x;case 1:return this.y;case 2:return this.z;case 3:return this.w;default:throw new Error("index is out of range: "+e)}}clone(){return new this.constructor(this.x,this.y,this.z,this.w)}copy(e){return this.x=e.x,this.y=e.y,this.z=e.z,this.w=e.w!==void 0?e.w:1,this}add(e){return this.x+=e.x,this.y+=e.y,this.z+=e.z,this.w+=e.w,this}addScalar(e){return this.x+=e,this.y+=e,this.z+=e,this.w+=e,this}addVectors(e,t){return this.x=e.x+t.x,this.y=e.y+t.y,this.z=e.z+t.z,this.w=e.w+t.w,this}addScaledVector(e,t){return this.x+=e.x*t,this.y+=e.y*t,this.z+=e.z*t,this.w+=e.w*t,this}sub(e){return this.x-=e.x,this.y-=e.y,this.z-=e.z,this.w-=e.w,this}subScalar(e){return this.x-=e,this.y-=e,this.z-=e,this.w-=e,this}subVectors(e,t){return this.x=e.x-t.x,this.y=e.y-t.y,this.z=e.z-t.z,this.w=e.w-t.w,this}multiply(e){return this.x*=e.x,this.y*=e.y,this.z*=e.z,this.w*=e.w,this}multiplyScalar(e){return this.x*=e,this.y*=e,this.z*=e,this.w*=e,this}applyMatrix4(e){const t=this.x,n=this.y,s=this.z,r=this.w,o=e.elements;return this.x=o[0]*t+o[4]*n+o[8]*s+o[12]*r,this.y=o[1]*t+o[5]*n+o[9]*s+o[13]*r,this.z=o[2]*t+o[6]*n+o[10]*s+o[14]*r,this.w=o[3]*t+o[7]*n+o[11]*s+o[15]*r,this}divideScalar(e){return this.multiplyScalar(1/e)}setAxisAngleFromQuaternion(e){this.w=2*Math.acos(e.w);const t=Math.sqrt(1-e.w*e.w);return t<1e-4?(this.x=1,this.y=0,this.z=0):(this.x=e.x/t,this.y=e.y/t,this.z=e.z/t),this}setAxisAngleFromRotationMatrix(e){let t,n,s,r;const l=e.elements,c=l[0],u=l[4],h=l[8],f=l[1],m=l[5],_=l[9],v=l[2],p=l[6],d=l[10];if(Math.abs(u-f)<.01&&Math.abs(h-v)<.01&&Math.abs(_-p)<.01){if(Math.abs(u+f)<.1&&Math.abs(h+v)<.1&&Math.abs(_+p)<.1&&Math.abs(c+m+d-3)<.1)return this.set(1,0,0,0),this;t=Math.PI;const x=(c+1)/2,b=(m+1)/2,H=(d+1)/2,T=(u+f)/4,R=(h+v)/4,z=(_+p)/4;return x>b&&x>H?x<.01?(n=0,s=.707106781,r=.707106781):(n=Math.sqrt(x),s=T/n,r=R/n):b>H?b<.01?(n=.707106781,s=0,r=.707106781):(s=Math.sqrt(b),n=T/s,r=z/s):H<.01?(n=.707106781,s=.707106781,r=0):(r=Math.sqrt(H),n=R/r,s=z/r),this.set(n,s,r,t),this}let y=Math.sqrt((p-_)*(p-_)+(h-v)*(h-v)+(f-u)*(f-u));return Math.abs(y)<.001&&(y=1),this.x=(p-_)/y,this.y=(h-v)/y,this.z=(f-u)/y,this.w=Math.acos((c+m+d-1)/2),this}min(e){return this.x=Math.min(this.x,e.x),this.y=Math.min(this.y,e.y),this.z=Math.min(this.z,e.z),this.w=Math.min(this.w,e.w),this}max(e){return this.x=Math.max(this.x,e.x),this.y=Math.max(this.y,e.y),this.z=Math.max(this.z,e.z),this.w=Math.max(this.w,e.w),this}clamp(e,t){return this.x=Math.max(e.x,Math.min(t.x,this.x)),this.y=Math.max(e.y,Math.min(t.y,this.y)),this.z=Math.max(e.z,Math.min(t.z,this.z)),this.w=Math.max(e.w,Math.min(t.w,this.w)),this}clampScalar(e,t){return this.x=Math.max(e,Math.min(t,this.x)),this.y=Math.max(e,Math.min(t,this.y)),this.z=Math.max(e,Math.min(t,this.z)),this.w=Math.max(e,Math.min(t,this.w)),this}clampLength(e,t){const n=this.length();return this.divideScalar(n||1).multiplyScalar(Math.max(e,Math.min(t,n)))}floor(){return this.x=Math.floor(this.x),this.y=Math.floor(this.y),this.z=Math.floor(this.z),this.w=Math.floor(this.w),this}ceil(){return this.x=Math.ceil(this.x),this.y=Math.ceil(this.y),this.z=Math.ceil(this.z),this.w=Math.ceil(this.w),this}round(){return this.x=Math.round(this.x),this.y=Math.round(this.y),this.z=Math.round(this.z),this.w=Math.round(this.w),this}roundToZero(){return this.x=Math.trunc(this.x),this.y=Math.trunc(this.y),this.z=Math.trunc(this.z),this.w=Math.trunc(this.w),this}negate(){return this.x=-this.x,this.y=-this.y,this.z=-this.z,this.w=-this.w,this}dot(e){return this.x*e.x+this.y*e.y+this.z*e.z+this.w*e.w}lengthSq(){return this.x*this.x+this.y*this.y+this.z*this.z+this.w*this.w}length(){return Math.sqrt(this.x*this.x+this.y*this.y+this.z*this.z+this.w*this.w)}manhattanLength(){return Math.abs(this.x)+Math.abs(this.y)+Math.abs(this.z)+Math.abs(this.w)}normalize(){return this.divideScalar(this.length()||1)}setLength(e){return this.normalize().multiplyScalar(e)}lerp(e,t){return this.x+=(e.x-this.x)*t,this.y+=(e.y-this.y)*t,this.z+=(e.z-this.z)*t,this.w+=(e.w-this.w)*t,this}lerpVectors(e,t,n){return this.x=e.x+(t.x-e.x)*n,this.y=e.y+(t.y-e.y)*n,this.z=e.z+(t.z-e.z)*n,this.w=e.w+(t.w-e.w)*n,this}equals(e){return e.x===this.x&&e.y===this.y&&e.z===this.z&&e.w===this.w}fromArray(e,t=0){return this.x=e[t],this.y=e[t+1],this.z=e[t+2],this.w=e[t+3],this}toArray(e=[],t=0){return e[t]=this.x,e[t+1]=this.y,e[t+2]=this.z,e[t+3]=this.w,e}fromBufferAttribute(e,t){return this.x=e.getX(t),this.y=e.getY(t),this.z=e.getZ(t),this.w=e.getW(t),this}random(){return this.x=Math.random(),this.y=Math.random(),this.z=Math.random(),this.w=Math.random(),this}*[Symbol.iterator](){yield this.x,yield this.y,yield this.z,yield this.w}}class rg extends Cs{constructor(e=1,t=1,n={}){super(),this.isRenderTarget=!0,this.width=e,this.height=t,this.depth=1,this.scissor=new un(0,0,e,t),this.scissorTest=!1,this.viewport=new un(0,0,e,t);const s={width:e,height:t,depth:1};n=Object.assign({generateMipmaps:!1,internalFormat:null,minFilter:li,depthBuffer:!0,stencilBuffer:!1,resolveDepthBuffer:!0,resolveStencilBuffer:!0,depthTexture:null,samples:0,count:1},n);const r=new yn(s,n.mapping,n.wrapS,n.wrapT,n.magFilter,n.minFilter,n.format,n.type,n.anisotropy,n.colorSpace);r.flipY=!1,r.generateMipmaps=n.generateMipmaps,r.internalFormat=n.internalFormat,this.textures=[];const o=n.count;for(let a=0;a<o;a++)this.textures[a]=r.clone(),this.textures[a].isRenderTargetTexture=!0;this.depthBuffer=n.depthBuffer,this.stencilBuffer=n.stencilBuffer,this.resolveDepthBuffer=n.resolveDepthBuffer,this.resolveStencilBuffer=n.resolveStencilBuffer,this.depthTexture=n.depthTexture,this.samples=n.samples}get texture(){return this.textures[0]}set texture(e){this.textures[0]=e}setSize(e,t,n=1){if(this.width!==e||this.height!==t||this.depth!==n){this.width=e,this.height=t,this.depth=n;for(let s=0,r=this.textures.length;s<r;s++)this.textures[s].image.width=e,this.textures[s].image.height=t,this.textures[s].image.depth=n;this.dispose()}this.viewport.set(0,0,e,t),this.scissor.set(0,0,e,t)}clone(){return new this.constructor().copy(this)}copy(e){this.width=e.width,this.height=e.height,this.depth=e.depth,this.scissor.copy(e.scissor),this.scissorTest=e.scissorTest,this.viewport.copy(e.viewport),this.textures.length=0;for(let n=0,s=e.textures.length;n<s;n++)this.textures[n]=e.textures[n].clone(),this.textures[n].isRenderTargetTexture=!0;const t=Object.assign({},e.texture.image);return this.texture.source=new Jf(t),this.depthBuffer=e.depthBuffer,this.stencilBuffer=e.stencilBuffer,this.resolveDepthBuffer=e.resolveDepthBuffer,this.resolveStencilBuffer=e.resolveStencilBuffer,e.depthTexture!==null&&(this.depthTexture=e.depthTexture.clone()),this.samples=e.samples,this}dispose(){this.dispatchEvent({type:"dispose"})}}class Ts extends rg{constructor(e=1,t=1,n={}){super(e,t,n),this.isWebGLRenderTarget=!0}}class Qf extends yn{constructor(e=null,t=1,n=1,s=1){super(null),this.isDataArrayTexture=!0,this.image={data:e,width:t,height:n,depth:s},this.magFilter=An,this.minFilter=An,this.wrapR=ys,this.generateMipmaps=!1,this.flipY=!1,this.unpackAlignment=1}}class og extends yn{constructor(e=null,t=1,n=1,s=1){super(null),this.isData3DTexture=!0,this.image={data:e,width:t,height:n,depth:s},this.magFilter=An,this.minFilter=An,this.wrapR=ys,this.generateMipmaps=!1,this.flipY=!1,this.unpackAlignment=1}}class As{constructor(e=0,t=0,n=0,s=1){this.isQuaternion=!0,this._x=e,this._y=t,this._z=n,this._w=s}static slerpFlat(e,t,n,s,r,o,a){let l=n[s+0],c=n[s+1],u=n[s+2],h=n[s+3];const f=r[o+0],m=r[o+1],_=r[o+2],v=r[o+3];if(a===0){e[t+0]=l,e[t+1]=c,e[t+2]=u,e[t+3]=h;return}if(a===1){e[t+0]=f,e[t+1]=m,e[t+2]=_,e[t+3]=v;return}if(h!==v||l!==f||c!==m||u!==_){let p=1-a;const d=l*f+c*m+u*_+h*v,y=d>=0?1:-1,x=1-d*d;if(x>Number.EPSILON){const H=Math.sqrt(x),T=Math.atan2(H,d*y);p=Math.sin(p*T)/H,a=Math.sin(a*T)/H}const b=a*y;if(l=l*p+f*b,c=c*p+m*b,u=u*p+_*b,h=h*p+v*b,p===1-a){const H=1/Math.sqrt(l*l+c*c+u*u+h*h);l*=H,c*=H,u*=H,h*=H}}e[t]=l,e[t+1]=c,e[t+2]=u,e[t+3]=h}static multiplyQuaternionsFlat(e,t,n,s,r,o){const a=n[s],l=n[s+1],c=n[s+2],u=n[s+3],h=r[o],f=r[o+1],m=r[o+2],_=r[o+3];return e[t]=a*_+u*h+l*m-c*f,e[t+1]=l*_+u*f+c*h-a*m,e[t+2]=c*_+u*m+a*f-l*h,e[t+3]=u*_-a*h-l*f-c*m,e}get x(){return this._x}set x(e){this._x=e,this._onChangeCallback()}get y(){return this._y}set y(e){this._y=e,this._onChangeCallback()}get z(){return this._z}set z(e){this._z=e,this._onChangeCallback()}get w(){return this._w}set w(e){this._w=e,this._onChangeCallback()}set(e,t,n,s){return this._x=e,this._y=t,this._z=n,this._w=s,this._onChangeCallback(),this}clone(){return new this.constructor(this._x,this._y,this._z,this._w)}copy(e){return this._x=e.x,this._y=e.y,this._z=e.z,this._w=e.w,this._onChangeCallback(),this}setFromEuler(e,t=!0){const n=e._x,s=e._y,r=e._z,o=e._order,a=Math.cos,l=Math.sin,c=a(n/2),u=a(s/2),h=a(r/2),f=l(n/2),m=l(s/2),_=l(r/2);switch(o){case"XYZ":this._x=f*u*h+c*m*_,this._y=c*m*h-f*u*_,this._z=c*u*_+f*m*h,this._w=c*u*h-f*m*_;break;case"YXZ":this._x=f*u*h+c*m*_,this._y=c*m*h-f*u*_,this._z=c*u*_-f*m*h,this._w=c*u*h+f*m*_;break;case"ZXY":this._x=f*u*h-c*m*_,this._y=c*m*h+f*u*_,this._z=c*u*_+f*m*h,this._w=c*u*h-f*m*_;break;case"ZYX":this._x=f*u*h-c*m*_,this._y=c*m*h+f*u*_,this._z=c*u*_-f*m*h,this._w=c*u*h+f*m*_;break;case"YZX":this._x=f*u*h+c*m*_,this._y=c*m*h+f*u*_,this._z=c*u*_-f*m*h,this._w=c*u*h-f*m*_;break;case"XZY":this._x=f*u*h-c*m*_,this._y=c*m*h-f*u*_,this._z=c*u*_+f*m*h,this._w=c*u*h+f*m*_;break;default:console.warn("THREE.Quaternion: .setFromEuler() encountered an unknown order: "+o)}return t===!0&&this._onChangeCallback(),this}setFromAxisAngle(e,t){const n=t/2,s=Math.sin(n);return this._x=e.x*s,this._y=e.y*s,this._z=e.z*s,this._w=Math.cos(n),this._onChangeCallback(),this}setFromRotationMatrix(e){const t=e.elements,n=t[0],s=t[4],r=t[8],o=t[1],a=t[5],l=t[9],c=t[2],u=t[6],h=t[10],f=n+a+h;if(f>0){const m=.5/Math.sqrt(f+1);this._w=.25/m,this._x=(u-l)*m,this._y=(r-c)*m,this._z=(o-s)*m}else if(n>a&&n>h){const m=2*Math.sqrt(1+n-a-h);this._w=(u-l)/m,this._x=.25*m,this._y=(s+o)/m,this._z=(r+c)/m}else if(a>h){const m=2*Math.sqrt(1+a-n-h);this._w=(r-c)/m,this._x=(s+o)/m,this._y=.25*m,this._z=(l+u)/m}else{const m=2*Math.sqrt(1+h-n-a);this._w=(o-s)/m,this._x=(r+c)/m,this._y=(l+u)/m,this._z=.25*m}return this._onChangeCallback(),this}setFromUnitVectors(e,t){let n=e.dot(t)+1;return n<Number.EPSILON?(n=0,Math.abs(e.x)>Math.abs(e.z)?(this._x=-e.y,this._y=e.x,this._z=0,this._w=n):(this._x=0,this._y=-e.z,this._z=e.y,this._w=n)):(this._x=e.y*t.z-e.z*t.y,this._y=e.z*t.x-e.x*t.z,this._z=e.x*t.y-e.y*t.x,this._w=n),this.normalize()}angleTo(e){return 2*Math.acos(Math.abs(cn(this.dot(e),-1,1)))}rotateTowards(e,t){const n=this.angleTo(e);if(n===0)return this;const s=Math.min(1,t/n);return this.slerp(e,s),this}identity(){return this.set(0,0,0,1)}invert(){return this.conjugate()}conjugate(){return this._x*=-1,this._y*=-1,this._z*=-1,this._onChangeCallback(),this}dot(e){return this._x*e._x+this._y*e._y+this._z*e._z+this._w*e._w}lengthSq(){return this._x*this._x+this._y*this._y+this._z*this._z+this._w*this._w}length(){return Math.sqrt(this._x*this._x+this._y*this._y+this._z*this._z+this._w*this._w)}normalize(){let e=this.length();return e===0?(this._x=0,this._y=0,this._z=0,this._w=1):(e=1/e,this._x=this._x*e,this._y=this._y*e,this._z=this._z*e,this._w=this._w*e),this._onChangeCallback(),this}multiply(e){return this.multiplyQuaternions(this,e)}premultiply(e){return this.multiplyQuaternions(e,this)}multiplyQuaternions(e,t){const n=e._x,s=e._y,r=e._z,o=e._w,a=t._x,l=t._y,c=t._z,u=t._w;return this._x=n*u+o*a+s*c-r*l,this._y=s*u+o*l+r*a-n*c,this._z=r*u+o*c+n*l-s*a,this._w=o*u-n*a-s*l-r*c,this._onChangeCallback(),this}slerp(e,t){if(t===0)return this;if(t===1)return this.copy(e);const n=this._x,s=this._y,r=this._z,o=this._w;let a=o*e._w+n*e._x+s*e._y+r*e._z;if(a<0?(this._w=-e._w,this._x=-e._x,this._y=-e._y,this._z=-e._z,a=-a):this.copy(e),a>=1)return this._w=o,this._x=n,this._y=s,this._z=r,this;const l=1-a*a;if(l<=Number.EPSILON){const m=1-t;return this._w=m*o+t*this._w,this._x=m*n+t*this._x,this._y=m*s+t*this._y,this._z=m*r+t*this._z,this.normalize(),this}const c=Math.sqrt(l),u=Math.atan2(c,a),h=Math.sin((1-t)*u)/c,f=Math.sin(t*u)/c;return this._w=o*h+this._w*f,this._x=n*h+this._x*f,this._y=s*h+this._y*f,this._z=r*h+this._z*f,this._onChangeCallback(),this}slerpQuaternions(e,t,n){return this.copy(e).slerp(t,n)}random(){const e=2*Math.PI*Math.random(),t=2*Math.PI*Math.random(),n=Math.random(),s=Math.sqrt(1-n),r=Math.sqrt(n);return this.set(s*Math.sin(e),s*Math.cos(e),r*Math.sin(t),r*Math.cos(t))}equals(e){return e._x===this._x&&e._y===this._y&&e._z===this._z&&e._w===this._w}fromArray(e,t=0){return this._x=e[t],this._y=e[t+1],this._z=e[t+2],this._w=e[t+3],this._onChangeCallback(),this}toArray(e=[],t=0){return e[t]=this._x,e[t+1]=this._y,e[t+2]=this._z,e[t+3]=this._w,e}fromBufferAttribute(e,t){return this._x=e.getX(t),this._y=e.getY(t),this._z=e.getZ(t),this._w=e.getW(t),this._onChangeCallback(),this}toJSON(){return this.toArray()}_onChange(e){return this._onChangeCallback=e,this}_onChangeCallback(){}*[Symbol.iterator](){yield this._x,yield this._y,yield this._z,yield this._w}}class ${constructor(e=0,t=0,n=0){$.prototype.isVector3=!0,this.x=e,this.y=t,this.z=n}set(e,t,n){return n===void 0&&(n=this.z),this.x=e,this.y=t,this.z=n,this}setScalar(e){return this.x=e,this.y=e,this.z=e,this}setX(e){return this.x=e,this}setY(e){return this.y=e,this}setZ(e){return this.z=e,this}setComponent(e,t){switch(e){case 0:this.x=t;break;case 1:this.y=t;break;case 2:this.z=t;break;default:throw new Error("index is out of range: "+e)}return this}getComponent(e){switch(e){case 0:return this.x;case 1:return this.y;case 2:return this.z;default:throw new Error("index is out of range: "+e)}}clone(){return new this.constructor(this.x,this.y,this.z)}copy(e){return this.x=e.x,this.y=e.y,this.z=e.z,this}add(e){return this.x+=e.x,this.y+=e.y,this.z+=e.z,this}addScalar(e){return this.x+=e,this.y+=e,this.z+=e,this}addVectors(e,t){return this.x=e.x+t.x,this.y=e.y+t.y,this.z=e.z+t.z,this}addScaledVector(e,t){return this.x+=e.x*t,this.y+=e.y*t,this.z+=e.z*t,this}sub(e){return this.x-=e.x,this.y-=e.y,this.z-=e.z,this}subScalar(e){return this.x-=e,this.y-=e,this.z-=e,this}subVectors(e,t){return this.x=e.x-t.x,this.y=e.y-t.y,this.z=e.z-t.z,this}multiply(e){return this.x*=e.x,this.y*=e.y,this.z*=e.z,this}multiplyScalar(e){return this.x*=e,this.y*=e,this.z*=e,this}multiplyVectors(e,t){return this.x=e.x*t.x,this.y=e.y*t.y,this.z=e.z*t.z,this}applyEuler(e){return this.applyQuaternion(Iu.setFromEuler(e))}applyAxisAngle(e,t){return this.applyQuaternion(Iu.setFromAxisAngle(e,t))}applyMatrix3(e){const t=this.x,n=this.y,s=this.z,r=e.elements;return this.x=r[0]*t+r[3]*n+r[6]*s,this.y=r[1]*t+r[4]*n+r[7]*s,this.z=r[2]*t+r[5]*n+r[8]*s,this}applyNormalMatrix(e){return this.applyMatrix3(e).normalize()}applyMatrix4(e){const t=this.x,n=this.y,s=this.z,r=e.elements,o=1/(r[3]*t+r[7]*n+r[11]*s+r[15]);return this.x=(r[0]*t+r[4]*n+r[8]*s+r[12])*o,this.y=(r[1]*t+r[5]*n+r[9]*s+r[13])*o,this.z=(r[2]*t+r[6]*n+r[10]*s+r[14])*o,this}applyQuaternion(e){const t=this.x,n=this.y,s=this.z,r=e.x,o=e.y,a=e.z,l=e.w,c=2*(o*s-a*n),u=2*(a*t-r*s),h=2*(r*n-o*t);return this.x=t+l*c+o*h-a*u,this.y=n+l*u+a*c-r*h,this.z=s+l*h+r*u-o*c,this}project(e){return this.applyMatrix4(e.matrixWorldInverse).applyMatrix4(e.projectionMatrix)}unproject(e){return this.applyMatrix4(e.projectionMatrixInverse).applyMatrix4(e.matrixWorld)}transformDirection(e){const t=this.x,n=this.y,s=this.z,r=e.elements;return this.x=r[0]*t+r[4]*n+r[8]*s,this.y=r[1]*t+r[5]*n+r[9]*s,this.z=r[2]*t+r[6]*n+r[10]*s,this.normalize()}divide(e){return this.x/=e.x,this.y/=e.y,this.z/=e.z,this}divideScalar(e){return this.multiplyScalar(1/e)}min(e){return this.x=Math.min(this.x,e.x),this.y=Math.min(this.y,e.y),this.z=Math.min(this.z,e.z),this}max(e){return this.x=Math.max(this.x,e.x),this.y=Math.max(this.y,e.y),this.z=Math.max(this.z,e.z),this}clamp(e,t){return this.x=Math.max(e.x,Math.min(t.x,this.x)),this.y=Math.max(e.y,Math.min(t.y,this.y)),this.z=Math.max(e.z,Math.min(t.z,this.z)),this}clampScalar(e,t){return this.x=Math.max(e,Math.min(t,this.x)),this.y=Math.max(e,Math.min(t,this.y)),this.z=Math.max(e,Math.min(t,this.z)),this}clampLength(e,t){const n=this.length();return this.divideScalar(n||1).multiplyScalar(Math.max(e,Math.min(t,n)))}floor(){return this.x=Math.floor(this.x),this.y=Math.floor(this.y),this.z=Math.floor(this.z),this}ceil(){return this.x=Math.ceil(this.x),this.y=Math.ceil(this.y),this.z=Math.ceil(this.z),this}round(){return this.x=Math.round(this.x),this.y=Math.round(this.y),this.z=Math.round(this.z),this}roundToZero(){return this.x=Math.trunc(this.x),this.y=Math.trunc(this.y),this.z=Math.trunc(this.z),this}negate(){return this.x=-this.x,this.y=-this.y,this.z=-this.z,this}dot(e){return this.x*e.x+this.y*e.y+this.z*e.z}lengthSq(){return this.x*this.x+this.y*this.y+this.z*this.z}length(){return Math.sqrt(this.x*this.x+this.y*this.y+this.z*this.z)}manhattanLength(){return Math.abs(this.x)+Math.abs(this.y)+Math.abs(this.z)}normalize(){return this.divideScalar(this.length()||1)}setLength(e){return this.normalize().multiplyScalar(e)}lerp(e,t){return this.x+=(e.x-this.x)*t,this.y+=(e.y-this.y)*t,this.z+=(e.z-this.z)*t,this}lerpVectors(e,t,n){return this.x=e.x+(t.x-e.x)*n,this.y=e.y+(t.y-e.y)*n,this.z=e.z+(t.z-e.z)*n,this}cross(e){return this.crossVectors(this,e)}crossVectors(e,t){const n=e.x,s=e.y,r=e.z,o=t.x,a=t.y,l=t.z;return this.x=s*l-r*a,this.y=r*o-n*l,this.z=n*a-s*o,this}projectOnVector(e){const t=e.lengthSq();if(t===0)return this.set(0,0,0);const n=e.dot(this)/t;return this.copy(e).multiplyScalar(n)}projectOnPlane(e){return Ka.copy(this).projectOnVector(e),this.sub(Ka)}reflect(e){return this.sub(Ka.copy(e).multiplyScalar(2*this.dot(e)))}angleTo(e){const t=Math.sqrt(this.lengthSq()*e.lengthSq());if(t===0)return Math.PI/2;const n=this.dot(e)/t;return Math.acos(cn(n,-1,1))}distanceTo(e){return Math.sqrt(this.distanceToSquared(e))}distanceToSquared(e){const t=this.x-e.x,n=this.y-e.y,s=this.z-e.z;return t*t+n*n+s*s}manhattanDistanceTo(e){return Math.abs(this.x-e.x)+Math.abs(this.y-e.y)+Math.abs(this.z-e.z)}setFromSpherical(e){return this.setFromSphericalCoords(e.radius,e.phi,e.theta)}setFromSphericalCoords(e,t,n){const s=Math.sin(t)*e;return this.x=s*Math.sin(n),this.y=Math.cos(t)*e,this.z=s*Math.cos(n),this}setFromCylindrical(e){return this.setFromCylindricalCoords(e.radius,e.theta,e.y)}setFromCylindricalCoords(e,t,n){return this.x=e*Math.sin(t),this.y=n,this.z=e*Math.cos(t),this}setFromMatrixPosition(e){const t=e.elements;return this.x=t[12],this.y=t[13],this.z=t[14],this}setFromMatrixScale(e){const t=this.setFromMatrixColumn(e,0).length(),n=this.setFromMatrixColumn(e,1).length(),s=this.setFromMatrixColumn(e,2).length();return this.x=t,this.y=n,this.z=s,this}setFromMatrixColumn(e,t){return this.fromArray(e.elements,t*4)}setFromMatrix3Column(e,t){return this.fromArray(e.elements,t*3)}setFromEuler(e){return this.x=e._x,this.y=e._y,this.z=e._z,this}setFromColor(e){return this.x=e.r,this.y=e.g,this.z=e.b,this}equals(e){return e.x===this.x&&e.y===this.y&&e.z===this.z}fromArray(e,t=0){return this.x=e[t],this.y=e[t+1],this.z=e[t+2],this}toArray(e=[],t=0){return e[t]=this.x,e[t+1]=this.y,e[t+2]=this.z,e}fromBufferAttribute(e,t){return this.x=e.getX(t),this.y=e.getY(t),this.z=e.getZ(t),this}random(){return this.x=Math.random(),this.y=Math.random(),this.z=Math.random(),this}randomDirection(){const e=Math.random()*Math.PI*2,t=Math.random()*2-1,n=Math.sqrt(1-t*t);return this.x=n*Math.cos(e),this.y=t,this.z=n*Math.sin(e),this}*[Symbol.iterator](){yield this.x,yield this.y,yield this.z}}const Ka=new $,Iu=new As;class ro{constructor(e=new $(1/0,1/0,1/0),t=new $(-1/0,-1/0,-1/0)){this.isBox3=!0,this.min=e,this.max=t}set(e,t){return this.min.copy(e),this.max.copy(t),this}setFromArray(e){this.makeEmpty();for(let t=0,n=e.length;t<n;t+=3)this.expandByPoint(ei.fromArray(e,t));return this}setFromBufferAttribute(e){this.makeEmpty();for(let t=0,n=e.count;t<n;t++)this.expandByPoint(ei.fromBufferAttribute(e,t));return this}setFromPoints(e){this.makeEmpty();for(let t=0,n=e.length;t<n;t++)this.expandByPoint(e[t]);return this}setFromCenterAndSize(e,t){const n=ei.copy(t).multiplyScalar(.5);return this.min.copy(e).sub(n),this.max.copy(e).add(n),this}setFromObject(e,t=!1){return this.makeEmpty(),this.expandByObject(e,t)}clone(){return new this.constructor().copy(this)}copy(e){return this.min.copy(e.min),this.max.copy(e.max),this}makeEmpty(){return this.min.x=this.min.y=this.min.z=1/0,this.max.x=this.max.y=this.max.z=-1/0,this}isEmpty(){return this.max.x<this.min.x||this.max.y<this.min.y||this.max.z<this.min.z}getCenter(e){return this.isEmpty()?e.set(0,0,0):e.addVectors(this.min,this.max).multiplyScalar(.5)}getSize(e){return this.isEmpty()?e.set(0,0,0):e.subVectors(this.max,this.min)}expandByPoint(e){return this.min.min(e),this.max.max(e),this}expandByVector(e){return this.min.sub(e),this.max.add(e),this}expandByScalar(e){return this.min.addScalar(-e),this.max.addScalar(e),this}expandByObject(e,t=!1){e.updateWorldMatrix(!1,!1);const n=e.geometry;if(n!==void 0){const r=n.getAttribute("position");if(t===!0&&r!==void 0&&e.isInstancedMesh!==!0)for(let o=0,a=r.count;o<a;o++)e.isMesh===!0?e.getVertexPosition(o,ei):ei.fromBufferAttribute(r,o),ei.applyMatrix4(e.matrixWorld),this.expandByPoint(ei);else e.boundingBox!==void 0?(e.boundingBox===null&&e.computeBoundingBox(),_o.copy(e.boundingBox)):(n.boundingBox===null&&n.computeBoundingBox(),_o.copy(n.boundingBox)),_o.applyMatrix4(e.matrixWorld),this.union(_o)}const s=e.children;for(let r=0,o=s.length;r<o;r++)this.expandByObject(s[r],t);return this}containsPoint(e){return!(e.x<this.min.x||e.x>this.max.x||e.y<this.min.y||e.y>this.max.y||e.z<this.min.z||e.z>this.max.z)}containsBox(e){return this.min.x<=e.min.x&&e.max.x<=this.max.x&&this.min.y<=e.min.y&&e.max.y<=this.max.y&&this.min.z<=e.min.z&&e.max.z<=this.max.z}getParameter(e,t){return t.set((e.x-this.min.x)/(this.max.x-this.min.x),(e.y-this.min.y)/(this.max.y-this.min.y),(e.z-this.min.z)/(this.max.z-this.min.z))}intersectsBox(e){return!(e.max.x<this.min.x||e.min.x>this.max.x||e.max.y<this.min.y||e.min.y>this.max.y||e.max.z<this.min.z||e.min.z>this.max.z)}intersectsSphere(e){return this.clampPoint(e.center,ei),ei.distanceToSquared(e.center)<=e.radius*e.radius}intersectsPlane(e){let t,n;return e.normal.x>0?(t=e.normal.x*this.min.x,n=e.normal.x*this.max.x):(t=e.normal.x*this.max.x,n=e.normal.x*this.min.x),e.normal.y>0?(t+=e.normal.y*this.min.y,n+=e.normal.y*this.max.y):(t+=e.normal.y*this.max.y,n+=e.normal.y*this.min.y),e.normal.z>0?(t+=e.normal.z*this.min.z,n+=e.normal.z*this.max.z):(t+=e.normal.z*this.max.z,n+=e.normal.z*this.min.z),t<=-e.constant&&n>=-e.constant}intersectsTriangle(e){if(this.isEmpty())return!1;this.getCenter(kr),vo.subVectors(this.max,kr),Ys.subVectors(e.a,kr),qs.subVectors(e.b,kr),js.subVectors(e.c,kr),Wi.subVectors(qs,Ys),Xi.subVectors(js,qs),ls.subVectors(Ys,js);let t=[0,-Wi.z,Wi.y,0,-Xi.z,Xi.y,0,-ls.z,ls.y,Wi.z,0,-Wi.x,Xi.z,0,-Xi.x,ls.z,0,-ls.x,-Wi.y,Wi.x,0,-Xi.y,Xi.x,0,-ls.y,ls.x,0];return!Za(t,Ys,qs,js,vo)||(t=[1,0,0,0,1,0,0,0,1],!Za(t,Ys,qs,js,vo))?!1:(xo.crossVectors(Wi,Xi),t=[xo.x,xo.y,xo.z],Za(t,Ys,qs,js,vo))}clampPoint(e,t){return t.copy(e).clamp(this.min,this.max)}distanceToPoint(e){return this.clampPoint(e,ei).distanceTo(e)}getBoundingSphere(e){return this.isEmpty()?e.makeEmpty():(this.getCenter(e.center),e.radius=this.getSize(ei).length()*.5),e}intersect(e){return this.min.max(e.min),this.max.min(e.max),this.isEmpty()&&this.makeEmpty(),this}union(e){return this.min.min(e.min),this.max.max(e.max),this}applyMatrix4(e){return this.isEmpty()?this:(Ti[0].set(this.min.x,this.min.y,this.min.z).applyMatrix4(e),Ti[1].set(this.min.x,this.min.y,this.max.z).applyMatrix4(e),Ti[2].set(this.min.x,this.max.y,this.min.z).applyMatrix4(e),Ti[3].set(this.min.x,this.max.y,this.max.z).applyMatrix4(e),Ti[4].set(this.max.x,this.min.y,this.min.z).applyMatrix4(e),Ti[5].set(this.max.x,this.min.y,this.max.z).applyMatrix4(e),Ti[6].set(this.max.x,this.max.y,this.min.z).applyMatrix4(e),Ti[7].set(this.max.x,this.max.y,this.max.z).applyMatrix4(e),this.setFromPoints(Ti),this)}translate(e){return this.min.add(e),this.max.add(e),this}equals(e){return e.min.equals(this.min)&&e.max.equals(this.max)}}const Ti=[new $,new $,new $,new $,new $,new $,new $,new $],ei=new $,_o=new ro,Ys=new $,qs=new $,js=new $,Wi=new $,Xi=new $,ls=new $,kr=new $,vo=new $,xo=new $,cs=new $;function Za(i,e,t,n,s){for(let r=0,o=i.length-3;r<=o;r+=3){cs.fromArray(i,r);const a=s.x*Math.abs(cs.x)+s.y*Math.abs(cs.y)+s.z*Math.abs(cs.z),l=e.dot(cs),c=t.dot(cs),u=n.dot(cs);if(Math.max(-Math.max(l,c,u),Math.min(l,c,u))>a)return!1}return!0}const ag=new ro,Br=new $,Ja=new $;class sc{constructor(e=new $,t=-1){this.isSphere=!0,this.center=e,this.radius=t}set(e,t){return this.center.copy(e),this.radius=t,this}setFromPoints(e,t){const n=this.center;t!==void 0?n.copy(t):ag.setFromPoints(e).getCenter(n);let s=0;for(let r=0,o=e.length;r<o;r++)s=Math.max(s,n.distanceToSquared(e[r]));return this.radius=Math.sqrt(s),this}copy(e){return this.center.copy(e.center),this.radius=e.radius,this}isEmpty(){return this.radius<0}makeEmpty(){return this.center.set(0,0,0),this.radius=-1,this}containsPoint(e){return e.distanceToSquared(this.center)<=this.radius*this.radius}distanceToPoint(e){return e.distanceTo(this.center)-this.radius}intersectsSphere(e){const t=this.radius+e.radius;return e.center.distanceToSquared(this.center)<=t*t}intersectsBox(e){return e.intersectsSphere(this)}intersectsPlane(e){return Math.abs(e.distanceToPoint(this.center))<=this.radius}clampPoint(e,t){const n=this.center.distanceToSquared(e);return t.copy(e),n>this.radius*this.radius&&(t.sub(this.center).normalize(),t.multiplyScalar(this.radius).add(this.center)),t}getBoundingBox(e){return this.isEmpty()?(e.makeEmpty(),e):(e.set(this.center,this.center),e.expandByScalar(this.radius),e)}applyMatrix4(e){return this.center.applyMatrix4(e),this.radius=this.radius*e.getMaxScaleOnAxis(),this}translate(e){return this.center.add(e),this}expandByPoint(e){if(this.isEmpty())return this.center.copy(e),this.radius=0,this;Br.subVectors(e,this.center);const t=Br.lengthSq();if(t>this.radius*this.radius){const n=Math.sqrt(t),s=(n-this.radius)*.5;this.center.addScaledVector(Br,s/n),this.radius+=s}return this}union(e){return e.isEmpty()?this:this.isEmpty()?(this.copy(e),this):(this.center.equals(e.center)===!0?this.radius=Math.max(this.radius,e.radius):(Ja.subVectors(e.center,this.center).setLength(e.radius),this.expandByPoint(Br.copy(e.center).add(Ja)),this.expandByPoint(Br.copy(e.center).sub(Ja))),this)}equals(e){return e.center.equals(this.center)&&e.radius===this.radius}clone(){return new this.constructor().copy(this)}}const Ai=new $,Qa=new $,Mo=new $,$i=new $,el=new $,So=new $,tl=new $;class rc{constructor(e=new $,t=new $(0,0,-1)){this.origin=e,this.direction=t}set(e,t){return this.origin.copy(e),this.direction.copy(t),this}copy(e){return this.origin.copy(e.origin),this.direction.copy(e.direction),this}at(e,t){return t.copy(this.origin).addScaledVector(this.direction,e)}lookAt(e){return this.direction.copy(e).sub(this.origin).normalize(),this}recast(e){return this.origin.copy(this.at(e,Ai)),this}closestPointToPoint(e,t){t.subVectors(e,this.origin);const n=t.dot(this.direction);return n<0?t.copy(this.origin):t.copy(this.origin).addScaledVector(this.direction,n)}distanceToPoint(e){return Math.sqrt(this.distanceSqToPoint(e))}distanceSqToPoint(e){const t=Ai.subVectors(e,this.origin).dot(this.direction);return t<0?this.origin.distanceToSquared(e):(Ai.copy(this.origin).addScaledVector(this.direction,t),Ai.distanceToSquared(e))}distanceSqToSegment(e,t,n,s){Qa.copy(e).add(t).multiplyScalar(.5),Mo.copy(t).sub(e).normalize(),$i.copy(this.origin).sub(Qa);const r=e.distanceTo(t)*.5,o=-this.direction.dot(Mo),a=$i.dot(this.direction),l=-$i.dot(Mo),c=$i.lengthSq(),u=Math.abs(1-o*o);let h,f,m,_;if(u>0)if(h=o*l-a,f=o*a-l,_=r*u,h>=0)if(f>=-_)if(f<=_){const v=1/u;h*=v,f*=v,m=h*(h+o*f+2*a)+f*(o*h+f+2*l)+c}else f=r,h=Math.max(0,-(o*f+a)),m=-h*h+f*(f+2*l)+c;else f=-r,h=Math.max(0,-(o*f+a)),m=-h*h+f*(f+2*l)+c;else f<=-_?(h=Math.max(0,-(-o*r+a)),f=h>0?-r:Math.min(Math.max(-r,-l),r),m=-h*h+f*(f+2*l)+c):f<=_?(h=0,f=Math.min(Math.max(-r,-l),r),m=f*(f+2*l)+c):(h=Math.max(0,-(o*r+a)),f=h>0?r:Math.min(Math.max(-r,-l),r),m=-h*h+f*(f+2*l)+c);else f=o>0?-r:r,h=Math.max(0,-(o*f+a)),m=-h*h+f*(f+2*l)+c;return n&&n.copy(this.origin).addScaledVector(this.direction,h),s&&s.copy(Qa).addScaledVector(Mo,f),m}intersectSphere(e,t){Ai.subVectors(e.center,this.origin);const n=Ai.dot(this.direction),s=Ai.dot(Ai)-n*n,r=e.radius*e.radius;if(s>r)return null;const o=Math.sqrt(r-s),a=n-o,l=n+o;return l<0?null:a<0?this.at(l,t):this.at(a,t)}intersectsSphere(e){return this.distanceSqToPoint(e.center)<=e.radius*e.radius}distanceToPlane(e){const t=e.normal.dot(this.direction);if(t===0)return e.distanceToPoint(this.origin)===0?0:null;const n=-(this.origin.dot(e.normal)+e.constant)/t;return n>=0?n:null}intersectPlane(e,t){const n=this.distanceToPlane(e);return n===null?null:this.at(n,t)}intersectsPlane(e){const t=e.distanceToPoint(this.origin);return t===0||e.normal.dot(this.direction)*t<0}intersectBox(e,t){let n,s,r,o,a,l;const c=1/this.direction.x,u=1/this.direction.y,h=1/this.direction.z,f=this.origin;return c>=0?(n=(e.min.x-f.x)*c,s=(e.max.x-f.x)*c):(n=(e.max.x-f.x)*c,s=(e.min.x-f.x)*c),u>=0?(r=(e.min.y-f.y)*u,o=(e.max.y-f.y)*u):(r=(e.max.y-f.y)*u,o=(e.min.y-f.y)*u),n>o||r>s||((r>n||isNaN(n))&&(n=r),(o<s||isNaN(s))&&(s=o),h>=0?(a=(e.min.z-f.z)*h,l=(e.max.z-f.z)*h):(a=(e.max.z-f.z)*h,l=(e.min.z-f.z)*h),n>l||a>s)||((a>n||n!==n)&&(n=a),(l<s||s!==s)&&(s=l),s<0)?null:this.at(n>=0?n:s,t)}intersectsBox(e){return this.intersectBox(e,Ai)!==null}intersectTriangle(e,t,n,s,r){el.subVectors(t,e),So.subVectors(n,e),tl.crossVectors(el,So);let o=this.direction.dot(tl),a;if(o>0){if(s)return null;a=1}else if(o<0)a=-1,o=-o;else return null;$i.subVectors(this.origin,e);const l=a*this.direction.dot(So.crossVectors($i,So));if(l<0)return null;const c=a*this.direction.dot(el.cross($i));if(c<0||l+c>o)return null;const u=-a*$i.dot(tl);return u<0?null:this.at(u/o,r)}applyMatrix4(e){return this.origin.applyMatrix4(e),this.direction.transformDirection(e),this}equals(e){return e.origin.equals(this.origin)&&e.direction.equals(this.direction)}clone(){return new this.constructor().copy(this)}}class Bt{constructor(e,t,n,s,r,o,a,l,c,u,h,f,m,_,v,p){Bt.prototype.isMatrix4=!0,this.elements=[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1],e!==void 0&&this.set(e,t,n,s,r,o,a,l,c,u,h,f,m,_,v,p)}set(e,t,n,s,r,o,a,l,c,u,h,f,m,_,v,p){const d=this.elements;return d[0]=e,d[4]=t,d[8]=n,d[12]=s,d[1]=r,d[5]=o,d[9]=a,d[13]=l,d[2]=c,d[6]=u,d[10]=h,d[14]=f,d[3]=m,d[7]=_,d[11]=v,d[15]=p,this}identity(){return this.set(1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1),this}clone(){return new Bt().fromArray(this.elements)}copy(e){const t=this.elements,n=e.elements;return t[0]=n[0],t[1]=n[1],t[2]=n[2],t[3]=n[3],t[4]=n[4],t[5]=n[5],t[6]=n[6],t[7]=n[7],t[8]=n[8],t[9]=n[9],t[10]=n[10],t[11]=n[11],t[12]=n[12],t[13]=n[13],t[14]=n[14],t[15]=n[15],this}copyPosition(e){const t=this.elements,n=e.elements;return t[12]=n[12],t[13]=n[13],t[14]=n[14],this}setFromMatrix3(e){const t=e.elements;return this.set(t[0],t[3],t[6],0,t[1],t[4],t[7],0,t[2],t[5],t[8],0,0,0,0,1),this}extractBasis(e,t,n){return e.setFromMatrixColumn(this,0),t.setFromMatrixColumn(this,1),n.setFromMatrixColumn(this,2),this}makeBasis(e,t,n){return this.set(e.x,t.x,n.x,0,e.y,t.y,n.y,0,e.z,t.z,n.z,0,0,0,0,1),this}extractRotation(e){const t=this.elements,n=e.elements,s=1/Ks.setFromMatrixColumn(e,0).length(),r=1/Ks.setFromMatrixColumn(e,1).length(),o=1/Ks.setFromMatrixColumn(e,2).length();return t[0]=n[0]*s,t[1]=n[1]*s,t[2]=n[2]*s,t[3]=0,t[4]=n[4]*r,t[5]=n[5]*r,t[6]=n[6]*r,t[7]=0,t[8]=n[8]*o,t[9]=n[9]*o,t[10]=n[10]*o,t[11]=0,t[12]=0,t[13]=0,t[14]=0,t[15]=1,this}makeRotationFromEuler(e){const t=this.elements,n=e.x,s=e.y,r=e.z,o=Math.cos(n),a=Math.sin(n),l=Math.cos(s),c=Math.sin(s),u=Math.cos(r),h=Math.sin(r);if(e.order==="XYZ"){const f=o*u,m=o*h,_=a*u,v=a*h;t[0]=l*u,t[4]=-l*h,t[8]=c,t[1]=m+_*c,t[5]=f-v*c,t[9]=-a*l,t[2]=v-f*c,t[6]=_+m*c,t[10]=o*l}else if(e.order==="YXZ"){const f=l*u,m=l*h,_=c*u,v=c*h;t[0]=f+v*a,t[4]=_*a-m,t[8]=o*c,t[1]=o*h,t[5]=o*u,t[9]=-a,t[2]=m*a-_,t[6]=v+f*a,t[10]=o*l}else if(e.order==="ZXY"){const f=l*u,m=l*h,_=c*u,v=c*h;t[0]=f-v*a,t[4]=-o*h,t[8]=_+m*a,t[1]=m+_*a,t[5]=o*u,t[9]=v-f*a,t[2]=-o*c,t[6]=a,t[10]=o*l}else if(e.order==="ZYX"){const f=o*u,m=o*h,_=a*u,v=a*h;t[0]=l*u,t[4]=_*c-m,t[8]=f*c+v,t[1]=l*h,t[5]=v*c+f,t[9]=m*c-_,t[2]=-c,t[6]=a*l,t[10]=o*l}else if(e.order==="YZX"){const f=o*l,m=o*c,_=a*l,v=a*c;t[0]=l*u,t[4]=v-f*h,t[8]=_*h+m,t[1]=h,t[5]=o*u,t[9]=-a*u,t[2]=-c*u,t[6]=m*h+_,t[10]=f-v*h}else if(e.order==="XZY"){const f=o*l,m=o*c,_=a*l,v=a*c;t[0]=l*u,t[4]=-h,t[8]=c*u,t[1]=f*h+v,t[5]=o*u,t[9]=m*h-_,t[2]=_*h-m,t[6]=a*u,t[10]=v*h+f}return t[3]=0,t[7]=0,t[11]=0,t[12]=0,t[13]=0,t[14]=0,t[15]=1,this}makeRotationFromQuaternion(e){return this.compose(lg,e,cg)}lookAt(e,t,n){const s=this.elements;return Nn.subVectors(e,t),Nn.lengthSq()===0&&(Nn.z=1),Nn.normalize(),Yi.crossVectors(n,Nn),Yi.lengthSq()===0&&(Math.abs(n.z)===1?Nn.x+=1e-4:Nn.z+=1e-4,Nn.normalize(),Yi.crossVectors(n,Nn)),Yi.normalize(),yo.crossVectors(Nn,Yi),s[0]=Yi.x,s[4]=yo.x,s[8]=Nn.x,s[1]=Yi.y,s[5]=yo.y,s[9]=Nn.y,s[2]=Yi.z,s[6]=yo.z,s[10]=Nn.z,this}multiply(e){return this.multiplyMatrices(this,e)}premultiply(e){return this.multiplyMatrices(e,this)}multiplyMatrices(e,t){const n=e.elements,s=t.elements,r=this.elements,o=n[0],a=n[4],l=n[8],c=n[12],u=n[1],h=n[5],f=n[9],m=n[13],_=n[2],v=n[6],p=n[10],d=n[14],y=n[3],x=n[7],b=n[11],H=n[15],T=s[0],R=s[4],z=s[8],w=s[12],M=s[1],U=s[5],G=s[9],N=s[13],Z=s[2],X=s[6],se=s[10],te=s[14],ne=s[3],Y=s[7],q=s[11],fe=s[15];return r[0]=o*T+a*M+l*Z+c*ne,r[4]=o*R+a*U+l*X+c*Y,r[8]=o*z+a*G+l*se+c*q,r[12]=o*w+a*N+l*te+c*fe,r[1]=u*T+h*M+f*Z+m*ne,r[5]=u*R+h*U+f*X+m*Y,r[9]=u*z+h*G+f*se+m*q,r[13]=u*w+h*N+f*te+m*fe,r[2]=_*T+v*M+p*Z+d*ne,r[6]=_*R+v*U+p*X+d*Y,r[10]=_*z+v*G+p*se+d*q,r[14]=_*w+v*N+p*te+d*fe,r[3]=y*T+x*M+b*Z+H*ne,r[7]=y*R+x*U+b*X+H*Y,r[11]=y*z+x*G+b*se+H*q,r[15]=y*w+x*N+b*te+H*fe,this}multiplyScalar(e){const t=this.elements;return t[0]*=e,t[4]*=e,t[8]*=e,t[12]*=e,t[1]*=e,t[5]*=e,t[9]*=e,t[13]*=e,t[2]*=e,t[6]*=e,t[10]*=e,t[14]*=e,t[3]*=e,t[7]*=e,t[11]*=e,t[15]*=e,this}determinant(){const e=this.elements,t=e[0],n=e[4],s=e[8],r=e[12],o=e[1],a=e[5],l=e[9],c=e[13],u=e[2],h=e[6],f=e[10],m=e[14],_=e[3],v=e[7],p=e[11],d=e[15];return _*(+r*l*h-s*c*h-r*a*f+n*c*f+s*a*m-n*l*m)+v*(+t*l*m-t*c*f+r*o*f-s*o*m+s*c*u-r*l*u)+p*(+t*c*h-t*a*m-r*o*h+n*o*m+r*a*u-n*c*u)+d*(-s*a*u-t*l*h+t*a*f+s*o*h-n*o*f+n*l*u)}transpose(){const e=this.elements;let t;return t=e[1],e[1]=e[4],e[4]=t,t=e[2],e[2]=e[8],e[8]=t,t=e[6],e[6]=e[9],e[9]=t,t=e[3],e[3]=e[12],e[12]=t,t=e[7],e[7]=e[13],e[13]=t,t=e[11],e[11]=e[14],e[14]=t,this}setPosition(e,t,n){const s=this.elements;return e.isVector3?(s[12]=e.x,s[13]=e.y,s[14]=e.z):(s[12]=e,s[13]=t,s[14]=n),this}invert(){const e=this.elements,t=e[0],n=e[1],s=e[2],r=e[3],o=e[4],a=e[5],l=e[6],c=e[7],u=e[8],h=e[9],f=e[10],m=e[11],_=e[12],v=e[13],p=e[14],d=e[15],y=h*p*c-v*f*c+v*l*m-a*p*m-h*l*d+a*f*d,x=_*f*c-u*p*c-_*l*m+o*p*m+u*l*d-o*f*d,b=u*v*c-_*h*c+_*a*m-o*v*m-u*a*d+o*h*d,H=_*h*l-u*v*l-_*a*f+o*v*f+u*a*p-o*h*p,T=t*y+n*x+s*b+r*H;if(T===0)return this.set(0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0);const R=1/T;return e[0]=y*R,e[1]=(v*f*r-h*p*r-v*s*m+n*p*m+h*s*d-n*f*d)*R,e[2]=(a*p*r-v*l*r+v*s*c-n*p*c-a*s*d+n*l*d)*R,e[3]=(h*l*r-a*f*r-h*s*c+n*f*c+a*s*m-n*l*m)*R,e[4]=x*R,e[5]=(u*p*r-_*f*r+_*s*m-t*p*m-u*s*d+t*f*d)*R,e[6]=(_*l*r-o*p*r-_*s*c+t*p*c+o*s*d-t*l*d)*R,e[7]=(o*f*r-u*l*r+u*s*c-t*f*c-o*s*m+t*l*m)*R,e[8]=b*R,e[9]=(_*h*r-u*v*r-_*n*m+t*v*m+u*n*d-t*h*d)*R,e[10]=(o*v*r-_*a*r+_*n*c-t*v*c-o*n*d+t*a*d)*R,e[11]=(u*a*r-o*h*r-u*n*c+t*h*c+o*n*m-t*a*m)*R,e[12]=H*R,e[13]=(u*v*s-_*h*s+_*n*f-t*v*f-u*n*p+t*h*p)*R,e[14]=(_*a*s-o*v*s-_*n*l+t*v*l+o*n*p-t*a*p)*R,e[15]=(o*h*s-u*a*s+u*n*l-t*h*l-o*n*f+t*a*f)*R,this}scale(e){const t=this.elements,n=e.x,s=e.y,r=e.z;return t[0]*=n,t[4]*=s,t[8]*=r,t[1]*=n,t[5]*=s,t[9]*=r,t[2]*=n,t[6]*=s,t[10]*=r,t[3]*=n,t[7]*=s,t[11]*=r,this}getMaxScaleOnAxis(){const e=this.elements,t=e[0]*e[0]+e[1]*e[1]+e[2]*e[2],n=e[4]*e[4]+e[5]*e[5]+e[6]*e[6],s=e[8]*e[8]+e[9]*e[9]+e[10]*e[10];return Math.sqrt(Math.max(t,n,s))}makeTranslation(e,t,n){return e.isVector3?this.set(1,0,0,e.x,0,1,0,e.y,0,0,1,e.z,0,0,0,1):this.set(1,0,0,e,0,1,0,t,0,0,1,n,0,0,0,1),this}makeRotationX(e){const t=Math.cos(e),n=Math.sin(e);return this.set(1,0,0,0,0,t,-n,0,0,n,t,0,0,0,0,1),this}makeRotationY(e){const t=Math.cos(e),n=Math.sin(e);return this.set(t,0,n,0,0,1,0,0,-n,0,t,0,0,0,0,1),this}makeRotationZ(e){const t=Math.cos(e),n=Math.sin(e);return this.set(t,-n,0,0,n,t,0,0,0,0,1,0,0,0,0,1),this}makeRotationAxis(e,t){const n=Math.cos(t),s=Math.sin(t),r=1-n,o=e.x,a=e.y,l=e.z,c=r*o,u=r*a;return this.set(c*o+n,c*a-s*l,c*l+s*a,0,c*a+s*l,u*a+n,u*l-s*o,0,c*l-s*a,u*l+s*o,r*l*l+n,0,0,0,0,1),this}makeScale(e,t,n){return this.set(e,0,0,0,0,t,0,0,0,0,n,0,0,0,0,1),this}makeShear(e,t,n,s,r,o){return this.set(1,n,r,0,e,1,o,0,t,s,1,0,0,0,0,1),this}compose(e,t,n){const s=this.elements,r=t._x,o=t._y,a=t._z,l=t._w,c=r+r,u=o+o,h=a+a,f=r*c,m=r*u,_=r*h,v=o*u,p=o*h,d=a*h,y=l*c,x=l*u,b=l*h,H=n.x,T=n.y,R=n.z;return s[0]=(1-(v+d))*H,s[1]=(m+b)*H,s[2]=(_-x)*H,s[3]=0,s[4]=(m-b)*T,s[5]=(1-(f+d))*T,s[6]=(p+y)*T,s[7]=0,s[8]=(_+x)*R,s[9]=(p-y)*R,s[10]=(1-(f+v))*R,s[11]=0,s[12]=e.x,s[13]=e.y,s[14]=e.z,s[15]=1,this}decompose(e,t,n){const s=this.elements;let r=Ks.set(s[0],s[1],s[2]).length();const o=Ks.set(s[4],s[5],s[6]).length(),a=Ks.set(s[8],s[9],s[10]).length();this.determinant()<0&&(r=-r),e.x=s[12],e.y=s[13],e.z=s[14],ti.copy(this);const c=1/r,u=1/o,h=1/a;return ti.elements[0]*=c,ti.elements[1]*=c,ti.elements[2]*=c,ti.elements[4]*=u,ti.elements[5]*=u,ti.elements[6]*=u,ti.elements[8]*=h,ti.elements[9]*=h,ti.elements[10]*=h,t.setFromRotationMatrix(ti),n.x=r,n.y=o,n.z=a,this}makePerspective(e,t,n,s,r,o,a=Ui){const l=this.elements,c=2*r/(t-e),u=2*r/(n-s),h=(t+e)/(t-e),f=(n+s)/(n-s);let m,_;if(a===Ui)m=-(o+r)/(o-r),_=-2*o*r/(o-r);else if(a===ea)m=-o/(o-r),_=-o*r/(o-r);else throw new Error("THREE.Matrix4.makePerspective(): Invalid coordinate system: "+a);return l[0]=c,l[4]=0,l[8]=h,l[12]=0,l[1]=0,l[5]=u,l[9]=f,l[13]=0,l[2]=0,l[6]=0,l[10]=m,l[14]=_,l[3]=0,l[7]=0,l[11]=-1,l[15]=0,this}makeOrthographic(e,t,n,s,r,o,a=Ui){const l=this.elements,c=1/(t-e),u=1/(n-s),h=1/(o-r),f=(t+e)*c,m=(n+s)*u;let _,v;if(a===Ui)_=(o+r)*h,v=-2*h;else if(a===ea)_=r*h,v=-1*h;else throw new Error("THREE.Matrix4.makeOrthographic(): Invalid coordinate system: "+a);return l[0]=2*c,l[4]=0,l[8]=0,l[12]=-f,l[1]=0,l[5]=2*u,l[9]=0,l[13]=-m,l[2]=0,l[6]=0,l[10]=v,l[14]=-_,l[3]=0,l[7]=0,l[11]=0,l[15]=1,this}equals(e){const t=this.elements,n=e.elements;for(let s=0;s<16;s++)if(t[s]!==n[s])return!1;return!0}fromArray(e,t=0){for(let n=0;n<16;n++)this.elements[n]=e[n+t];return this}toArray(e=[],t=0){const n=this.elements;return e[t]=n[0],e[t+1]=n[1],e[t+2]=n[2],e[t+3]=n[3],e[t+4]=n[4],e[t+5]=n[5],e[t+6]=n[6],e[t+7]=n[7],e[t+8]=n[8],e[t+9]=n[9],e[t+10]=n[10],e[t+11]=n[11],e[t+12]=n[12],e[t+13]=n[13],e[t+14]=n[14],e[t+15]=n[15],e}}const Ks=new $,ti=new Bt,lg=new $(0,0,0),cg=new $(1,1,1),Yi=new $,yo=new $,Nn=new $,Nu=new Bt,Ou=new As;class Fi{constructor(e=0,t=0,n=0,s=Fi.DEFAULT_ORDER){this.isEuler=!0,this._x=e,this._y=t,this._z=n,this._order=s}get x(){return this._x}set x(e){this._x=e,this._onChangeCallback()}get y(){return this._y}set y(e){this._y=e,this._onChangeCallback()}get z(){return this._z}set z(e){this._z=e,this._onChangeCallback()}get order(){return this._order}set order(e){this._order=e,this._onChangeCallback()}set(e,t,n,s=this._order){return this._x=e,this._y=t,this._z=n,this._order=s,this._onChangeCallback(),this}clone(){return new this.constructor(this._x,this._y,this._z,this._order)}copy(e){return this._x=e._x,this._y=e._y,this._z=e._z,this._order=e._order,this._onChangeCallback(),this}setFromRotationMatrix(e,t=this._order,n=!0){const s=e.elements,r=s[0],o=s[4],a=s[8],l=s[1],c=s[5],u=s[9],h=s[2],f=s[6],m=s[10];switch(t){case"XYZ":this._y=Math.asin(cn(a,-1,1)),Math.abs(a)<.9999999?(this._x=Math.atan2(-u,m),this._z=Math.atan2(-o,r)):(this._x=Math.atan2(f,c),this._z=0);break;case"YXZ":this._x=Math.asin(-cn(u,-1,1)),Math.abs(u)<.9999999?(this._y=Math.atan2(a,m),this._z=Math.atan2(l,c)):(this._y=Math.atan2(-h,r),this._z=0);break;case"ZXY":this._x=Math.asin(cn(f,-1,1)),Math.abs(f)<.9999999?(this._y=Math.atan2(-h,m),this._z=Math.atan2(-o,c)):(this._y=0,this._z=Math.atan2(l,r));break;case"ZYX":this._y=Math.asin(-cn(h,-1,1)),Math.abs(h)<.9999999?(this._x=Math.atan2(f,m),this._z=Math.atan2(l,r)):(this._x=0,this._z=Math.atan2(-o,c));break;case"YZX":this._z=Math.asin(cn(l,-1,1)),Math.abs(l)<.9999999?(this._x=Math.atan2(-u,c),this._y=Math.atan2(-h,r)):(this._x=0,this._y=Math.atan2(a,m));break;case"XZY":this._z=Math.asin(-cn(o,-1,1)),Math.abs(o)<.9999999?(this._x=Math.atan2(f,c),this._y=Math.atan2(a,r)):(this._x=Math.atan2(-u,m),this._y=0);break;default:console.warn("THREE.Euler: .setFromRotationMatrix() encountered an unknown order: "+t)}return this._order=t,n===!0&&this._onChangeCallback(),this}setFromQuaternion(e,t,n){return Nu.makeRotationFromQuaternion(e),this.setFromRotationMatrix(Nu,t,n)}setFromVector3(e,t=this._order){return this.set(e.x,e.y,e.z,t)}reorder(e){return Ou.setFromEuler(this),this.setFromQuaternion(Ou,e)}equals(e){return e._x===this._x&&e._y===this._y&&e._z===this._z&&e._order===this._order}fromArray(e){return this._x=e[0],this._y=e[1],this._z=e[2],e[3]!==void 0&&(this._order=e[3]),this._onChangeCallback(),this}toArray(e=[],t=0){return e[t]=this._x,e[t+1]=this._y,e[t+2]=this._z,e[t+3]=this._order,e}_onChange(e){return this._onChangeCallback=e,this}_onChangeCallback(){}*[Symbol.iterator](){yield this._x,yield this._y,yield this._z,yield this._order}}Fi.DEFAULT_ORDER="XYZ";class oc{constructor(){this.mask=1}set(e){this.mask=(1<<e|0)>>>0}enable(e){this.mask|=1<<e|0}enableAll(){this.mask=-1}toggle(e){this.mask^=1<<e|0}disable(e){this.mask&=~(1<<e|0)}disableAll(){this.mask=0}test(e){return(this.mask&e.mask)!==0}isEnabled(e){return(this.mask&(1<<e|0))!==0}}let ug=0;const Fu=new $,Zs=new As,Ri=new Bt,Eo=new $,zr=new $,hg=new $,fg=new As,ku=new $(1,0,0),Bu=new $(0,1,0),zu=new $(0,0,1),Hu={type:"added"},dg={type:"removed"},Js={type:"childadded",child:null},nl={type:"childremoved",child:null};class Bn extends Cs{constructor(){super(),this.isObject3D=!0,Object.defineProperty(this,"id",{value:ug++}),this.uuid=so(),this.name="",this.type="Object3D",this.parent=null,this.children=[],this.up=Bn.DEFAULT_UP.clone();const e=new $,t=new Fi,n=new As,s=new $(1,1,1);function r(){n.setFromEuler(t,!1)}function o(){t.setFromQuaternion(n,void 0,!1)}t._onChange(r),n._onChange(o),Object.defineProperties(this,{position:{configurable:!0,enumerable:!0,value:e},rotation:{configurable:!0,enumerable:!0,value:t},quaternion:{configurable:!0,enumerable:!0,value:n},scale:{configurable:!0,enumerable:!0,value:s},modelViewMatrix:{value:new Bt},normalMatrix:{value:new rt}}),this.matrix=new Bt,this.matrixWorld=new Bt,this.matrixAutoUpdate=Bn.DEFAULT_MATRIX_AUTO_UPDATE,this.matrixWorldAutoUpdate=Bn.DEFAULT_MATRIX_WORLD_AUTO_UPDATE,this.matrixWorldNeedsUpdate=!1,this.layers=new oc,this.visible=!0,this.castShadow=!1,this.receiveShadow=!1,this.frustumCulled=!0,this.renderOrder=0,this.animations=[],this.userData={}}onBeforeShadow(){}onAfterShadow(){}onBeforeRender(){}onAfterRender(){}applyMatrix4(e){this.matrixAutoUpdate&&this.updateMatrix(),this.matrix.premultiply(e),this.matrix.decompose(this.position,this.quaternion,this.scale)}applyQuaternion(e){return this.quaternion.premultiply(e),this}setRotationFromAxisAngle(e,t){this.quaternion.setFromAxisAngle(e,t)}setRotationFromEuler(e){this.quaternion.setFromEuler(e,!0)}setRotationFromMatrix(e){this.quaternion.setFromRotationMatrix(e)}setRotationFromQuaternion(e){this.quaternion.copy(e)}rotateOnAxis(e,t){return Zs.setFromAxisAngle(e,t),this.quaternion.multiply(Zs),this}rotateOnWorldAxis(e,t){return Zs.setFromAxisAngle(e,t),this.quaternion.premultiply(Zs),this}rotateX(e){return this.rotateOnAxis(ku,e)}rotateY(e){return this.rotateOnAxis(Bu,e)}rotateZ(e){return this.rotateOnAxis(zu,e)}translateOnAxis(e,t){return Fu.copy(e).applyQuaternion(this.quaternion),this.position.add(Fu.multiplyScalar(t)),this}translateX(e){return this.translateOnAxis(ku,e)}translateY(e){return this.translateOnAxis(Bu,e)}translateZ(e){return this.translateOnAxis(zu,e)}localToWorld(e){return this.updateWorldMatrix(!0,!1),e.applyMatrix4(this.matrixWorld)}worldToLocal(e){return this.updateWorldMatrix(!0,!1),e.applyMatrix4(Ri.copy(this.matrixWorld).invert())}lookAt(e,t,n){e.isVector3?Eo.copy(e):Eo.set(e,t,n);const s=this.parent;this.updateWorldMatrix(!0,!1),zr.setFromMatrixPosition(this.matrixWorld),this.isCamera||this.isLight?Ri.lookAt(zr,Eo,this.up):Ri.lookAt(Eo,zr,this.up),this.quaternion.setFromRotationMatrix(Ri),s&&(Ri.extractRotation(s.matrixWorld),Zs.setFromRotationMatrix(Ri),this.quaternion.premultiply(Zs.invert()))}add(e){if(arguments.length>1){for(let t=0;t<arguments.length;t++)this.add(arguments[t]);return this}return e===this?(console.error("THREE.Object3D.add: object can't be added as a child of itself.",e),this):(e&&e.isObject3D?(e.removeFromParent(),e.parent=this,this.children.push(e),e.dispatchEvent(Hu),Js.child=e,this.dispatchEvent(Js),Js.child=null):console.error("THREE.Object3D.add: object not an instance of THREE.Object3D.",e),this)}remove(e){if(arguments.length>1){for(let n=0;n<arguments.length;n++)this.remove(arguments[n]);return this}const t=this.children.indexOf(e);return t!==-1&&(e.parent=null,this.children.splice(t,1),e.dispatchEvent(dg),nl.child=e,this.dispatchEvent(nl),nl.child=null),this}removeFromParent(){const e=this.parent;return e!==null&&e.remove(this),this}clear(){return this.remove(...this.children)}attach(e){return this.updateWorldMatrix(!0,!1),Ri.copy(this.matrixWorld).invert(),e.parent!==null&&(e.parent.updateWorldMatrix(!0,!1),Ri.multiply(e.parent.matrixWorld)),e.applyMatrix4(Ri),e.removeFromParent(),e.parent=this,this.children.push(e),e.updateWorldMatrix(!1,!0),e.dispatchEvent(Hu),Js.child=e,this.dispatchEvent(Js),Js.child=null,this}getObjectById(e){return this.getObjectByProperty("id",e)}getObjectByName(e){return this.getObjectByProperty("name",e)}getObjectByProperty(e,t){if(this[e]===t)return this;for(let n=0,s=this.children.length;n<s;n++){const o=this.children[n].getObjectByProperty(e,t);if(o!==void 0)return o}}getObjectsByProperty(e,t,n=[]){this[e]===t&&n.push(this);const s=this.children;for(let r=0,o=s.length;r<o;r++)s[r].getObjectsByProperty(e,t,n);return n}getWorldPosition(e){return this.updateWorldMatrix(!0,!1),e.setFromMatrixPosition(this.matrixWorld)}getWorldQuaternion(e){return this.updateWorldMatrix(!0,!1),this.matrixWorld.decompose(zr,e,hg),e}getWorldScale(e){return this.updateWorldMatrix(!0,!1),this.matrixWorld.decompose(zr,fg,e),e}getWorldDirection(e){this.updateWorldMatrix(!0,!1);const t=this.matrixWorld.elements;return e.set(t[8],t[9],t[10]).normalize()}raycast(){}traverse(e){e(this);const t=this.children;for(let n=0,s=t.length;n<s;n++)t[n].traverse(e)}traverseVisible(e){if(this.visible===!1)return;e(this);const t=this.children;for(let n=0,s=t.length;n<s;n++)t[n].traverseVisible(e)}traverseAncestors(e){const t=this.parent;t!==null&&(e(t),t.traverseAncestors(e))}updateMatrix(){this.matrix.compose(this.position,this.quaternion,this.scale),this.matrixWorldNeedsUpdate=!0}updateMatrixWorld(e){this.matrixAutoUpdate&&this.updateMatrix(),(this.matrixWorldNeedsUpdate||e)&&(this.parent===null?this.matrixWorld.copy(this.matrix):this.matrixWorld.multiplyMatrices(this.parent.matrixWorld,this.matrix),this.matrixWorldNeedsUpdate=!1,e=!0);const t=this.children;for(let n=0,s=t.length;n<s;n++){const r=t[n];(r.matrixWorldAutoUpdate===!0||e===!0)&&r.updateMatrixWorld(e)}}updateWorldMatrix(e,t){const n=this.parent;if(e===!0&&n!==null&&n.matrixWorldAutoUpdate===!0&&n.updateWorldMatrix(!0,!1),this.matrixAutoUpdate&&this.updateMatrix(),this.parent===null?this.matrixWorld.copy(this.matrix):this.matrixWorld.multiplyMatrices(this.parent.matrixWorld,this.matrix),t===!0){const s=this.children;for(let r=0,o=s.length;r<o;r++){const a=s[r];a.matrixWorldAutoUpdate===!0&&a.updateWorldMatrix(!1,!0)}}}toJSON(e){const t=e===void 0||typeof e=="string",n={};t&&(e={geometries:{},materials:{},textures:{},images:{},shapes:{},skeletons:{},animations:{},nodes:{}},n.metadata={version:4.6,type:"Object",generator:"Object3D.toJSON"});const s={};s.uuid=this.uuid,s.type=this.type,this.name!==""&&(s.name=this.name),this.castShadow===!0&&(s.castShadow=!0),this.receiveShadow===!0&&(s.receiveShadow=!0),this.visible===!1&&(s.visible=!1),this.frustumCulled===!1&&(s.frustumCulled=!1),this.renderOrder!==0&&(s.renderOrder=this.renderOrder),Object.keys(this.userData).length>0&&(s.userData=this.userData),s.layers=this.layers.mask,s.matrix=this.matrix.toArray(),s.up=this.up.toArray(),this.matrixAutoUpdate===!1&&(s.matrixAutoUpdate=!1),this.isInstancedMesh&&(s.type="InstancedMesh",s.count=this.count,s.instanceMatrix=this.instanceMatrix.toJSON(),this.instanceColor!==null&&(s.instanceColor=this.instanceColor.toJSON())),this.isBatchedMesh&&(s.type="BatchedMesh",s.perObjectFrustumCulled=this.perObjectFrustumCulled,s.sortObjects=this.sortObjects,s.drawRanges=this._drawRanges,s.reservedRanges=this._reservedRanges,s.visibility=this._visibility,s.active=this._active,s.bounds=this._bounds.map(a=>({boxInitialized:a.boxInitialized,boxMin:a.box.min.toArray(),boxMax:a.box.max.toArray(),sphereInitialized:a.sphereInitialized,sphereRadius:a.sphere.radius,sphereCenter:a.sphere.center.toArray()})),s.maxGeometryCount=this._maxGeometryCount,s.maxVertexCount=this._maxVertexCount,s.maxIndexCount=this._maxIndexCount,s.geometryInitialized=this._geometryInitialized,s.geometryCount=this._geometryCount,s.matricesTexture=this._matricesTexture.toJSON(e),this.boundingSphere!==null&&(s.boundingSphere={center:s.boundingSphere.center.toArray(),radius:s.boundingSphere.radius}),this.boundingBox!==null&&(s.boundingBox={min:s.boundingBox.min.toArray(),max:s.boundingBox.max.toArray()}));function r(a,l){return a[l.uuid]===void 0&&(a[l.uuid]=l.toJSON(e)),l.uuid}if(this.isScene)this.background&&(this.background.isColor?s.background=this.background.toJSON():this.background.isTexture&&(s.background=this.background.toJSON(e).uuid)),this.environment&&this.environment.isTexture&&this.environment.isRenderTargetTexture!==!0&&(s.environment=this.environment.toJSON(e).uuid);else if(this.isMesh||this.isLine||this.isPoints){s.geometry=r(e.geometries,this.geometry);const a=this.geometry.parameters;if(a!==void 0&&a.shapes!==void 0){const l=a.shapes;if(Array.isArray(l))for(let c=0,u=l.length;c<u;c++){const h=l[c];r(e.shapes,h)}else r(e.shapes,l)}}if(this.isSkinnedMesh&&(s.bindMode=this.bindMode,s.bindMatrix=this.bindMatrix.toArray(),this.skeleton!==void 0&&(r(e.skeletons,this.skeleton),s.skeleton=this.skeleton.uuid)),this.material!==void 0)if(Array.isArray(this.material)){const a=[];for(let l=0,c=this.material.length;l<c;l++)a.push(r(e.materials,this.material[l]));s.material=a}else s.material=r(e.materials,this.material);if(this.children.length>0){s.children=[];for(let a=0;a<this.children.length;a++)s.children.push(this.children[a].toJSON(e).object)}if(this.animations.length>0){s.animations=[];for(let a=0;a<this.animations.length;a++){const l=this.animations[a];s.animations.push(r(e.animations,l))}}if(t){const a=o(e.geometries),l=o(e.materials),c=o(e.textures),u=o(e.images),h=o(e.shapes),f=o(e.skeletons),m=o(e.animations),_=o(e.nodes);a.length>0&&(n.geometries=a),l.length>0&&(n.materials=l),c.length>0&&(n.textures=c),u.length>0&&(n.images=u),h.length>0&&(n.shapes=h),f.length>0&&(n.skeletons=f),m.length>0&&(n.animations=m),_.length>0&&(n.nodes=_)}return n.object=s,n;function o(a){const l=[];for(const c in a){const u=a[c];delete u.metadata,l.push(u)}return l}}clone(e){return new this.constructor().copy(this,e)}copy(e,t=!0){if(this.name=e.name,this.up.copy(e.up),this.position.copy(e.position),this.rotation.order=e.rotation.order,this.quaternion.copy(e.quaternion),this.scale.copy(e.scale),this.matrix.copy(e.matrix),this.matrixWorld.copy(e.matrixWorld),this.matrixAutoUpdate=e.matrixAutoUpdate,this.matrixWorldAutoUpdate=e.matrixWorldAutoUpdate,this.matrixWorldNeedsUpdate=e.matrixWorldNeedsUpdate,this.layers.mask=e.layers.mask,this.visible=e.visible,this.castShadow=e.castShadow,this.receiveShadow=e.receiveShadow,this.frustumCulled=e.frustumCulled,this.renderOrder=e.renderOrder,this.animations=e.animations.slice(),this.userData=JSON.parse(JSON.stringify(e.userData)),t===!0)for(let n=0;n<e.children.length;n++){const s=e.children[n];this.add(s.clone())}return this}}Bn.DEFAULT_UP=new $(0,1,0);Bn.DEFAULT_MATRIX_AUTO_UPDATE=!0;Bn.DEFAULT_MATRIX_WORLD_AUTO_UPDATE=!0;const ni=new $,Ci=new $,il=new $,Pi=new $,Qs=new $,er=new $,Vu=new $,sl=new $,rl=new $,ol=new $;class vi{constructor(e=new $,t=new $,n=new $){this.a=e,this.b=t,this.c=n}static getNormal(e,t,n,s){s.subVectors(n,t),ni.subVectors(e,t),s.cross(ni);const r=s.lengthSq();return r>0?s.multiplyScalar(1/Math.sqrt(r)):s.set(0,0,0)}static getBarycoord(e,t,n,s,r){ni.subVectors(s,t),Ci.subVectors(n,t),il.subVectors(e,t);const o=ni.dot(ni),a=ni.dot(Ci),l=ni.dot(il),c=Ci.dot(Ci),u=Ci.dot(il),h=o*c-a*a;if(h===0)return r.set(0,0,0),null;const f=1/h,m=(c*l-a*u)*f,_=(o*u-a*l)*f;return r.set(1-m-_,_,m)}static containsPoint(e,t,n,s){return this.getBarycoord(e,t,n,s,Pi)===null?!1:Pi.x>=0&&Pi.y>=0&&Pi.x+Pi.y<=1}static getInterpolation(e,t,n,s,r,o,a,l){return this.getBarycoord(e,t,n,s,Pi)===null?(l.x=0,l.y=0,"z"in l&&(l.z=0),"w"in l&&(l.w=0),null):(l.setScalar(0),l.addScaledVector(r,Pi.x),l.addScaledVector(o,Pi.y),l.addScaledVector(a,Pi.z),l)}static isFrontFacing(e,t,n,s){return ni.subVectors(n,t),Ci.subVectors(e,t),ni.cross(Ci).dot(s)<0}set(e,t,n){return this.a.copy(e),this.b.copy(t),this.c.copy(n),this}setFromPointsAndIndices(e,t,n,s){return this.a.copy(e[t]),this.b.copy(e[n]),this.c.copy(e[s]),this}setFromAttributeAndIndices(e,t,n,s){return this.a.fromBufferAttribute(e,t),this.b.fromBufferAttribute(e,n),this.c.fromBufferAttribute(e,s),this}clone(){return new this.constructor().copy(this)}copy(e){return this.a.copy(e.a),this.b.copy(e.b),this.c.copy(e.c),this}getArea(){return ni.subVectors(this.c,this.b),Ci.subVectors(this.a,this.b),ni.cross(Ci).length()*.5}getMidpoint(e){return e.addVectors(this.a,this.b).add(this.c).multiplyScalar(1/3)}getNormal(e){return vi.getNormal(this.a,this.b,this.c,e)}getPlane(e){return e.setFromCoplanarPoints(this.a,this.b,this.c)}getBarycoord(e,t){return vi.getBarycoord(e,this.a,this.b,this.c,t)}getInterpolation(e,t,n,s,r){return vi.getInterpolation(e,this.a,this.b,this.c,t,n,s,r)}containsPoint(e){return vi.containsPoint(e,this.a,this.b,this.c)}isFrontFacing(e){return vi.isFrontFacing(this.a,this.b,this.c,e)}intersectsBox(e){return e.intersectsTriangle(this)}closestPointToPoint(e,t){const n=this.a,s=this.b,r=this.c;let o,a;Qs.subVectors(s,n),er.subVectors(r,n),sl.subVectors(e,n);const l=Qs.dot(sl),c=er.dot(sl);if(l<=0&&c<=0)return t.copy(n);rl.subVectors(e,s);const u=Qs.dot(rl),h=er.dot(rl);if(u>=0&&h<=u)return t.copy(s);const f=l*h-u*c;if(f<=0&&l>=0&&u<=0)return o=l/(l-u),t.copy(n).addScaledVector(Qs,o);ol.subVectors(e,r);const m=Qs.dot(ol),_=er.dot(ol);if(_>=0&&m<=_)return t.copy(r);const v=m*c-l*_;if(v<=0&&c>=0&&_<=0)return a=c/(c-_),t.copy(n).addScaledVector(er,a);const p=u*_-m*h;if(p<=0&&h-u>=0&&m-_>=0)return Vu.subVectors(r,s),a=(h-u)/(h-u+(m-_)),t.copy(s).addScaledVector(Vu,a);const d=1/(p+v+f);return o=v*d,a=f*d,t.copy(n).addScaledVector(Qs,o).addScaledVector(er,a)}equals(e){return e.a.equals(this.a)&&e.b.equals(this.b)&&e.c.equals(this.c)}}const ed={aliceblue:15792383,antiquewhite:16444375,aqua:65535,aquamarine:8388564,azure:15794175,beige:16119260,bisque:16770244,black:0,blanchedalmond:16772045,blue:255,blueviolet:9055202,brown:10824234,burlywood:14596231,cadetblue:6266528,chartreuse:8388352,chocolate:13789470,coral:16744272,cornflowerblue:6591981,cornsilk:16775388,crimson:14423100,cyan:65535,darkblue:139,darkcyan:35723,darkgoldenrod:12092939,darkgray:11119017,darkgreen:25600,darkgrey:11119017,darkkhaki:12433259,darkmagenta:9109643,darkolivegreen:5597999,darkorange:16747520,darkorchid:10040012,darkred:9109504,darksalmon:15308410,darkseagreen:9419919,darkslateblue:4734347,darkslategray:3100495,darkslategrey:3100495,darkturquoise:52945,darkviolet:9699539,deeppink:16716947,deepskyblue:49151,dimgray:6908265,dimgrey:6908265,dodgerblue:2003199,firebrick:11674146,floralwhite:16775920,forestgreen:2263842,fuchsia:16711935,gainsboro:14474460,ghostwhite:16316671,gold:16766720,goldenrod:14329120,gray:8421504,green:32768,greenyellow:11403055,grey:8421504,honeydew:15794160,hotpink:16738740,indianred:13458524,indigo:4915330,ivory:16777200,khaki:15787660,lavender:15132410,lavenderblush:16773365,lawngreen:8190976,lemonchiffon:16775885,lightblue:11393254,lightcoral:15761536,lightcyan:14745599,lightgoldenrodyellow:16448210,lightgray:13882323,lightgreen:9498256,lightgrey:13882323,lightpink:16758465,lightsalmon:16752762,lightseagreen:2142890,lightskyblue:8900346,lightslategray:7833753,lightslategrey:7833753,lightsteelblue:11584734,lightyellow:16777184,lime:65280,limegreen:3329330,linen:16445670,magenta:16711935,maroon:8388608,mediumaquamarine:6737322,mediumblue:205,mediumorchid:12211667,mediumpurple:9662683,mediumseagreen:3978097,mediumslateblue:8087790,mediumspringgreen:64154,mediumturquoise:4772300,mediumvioletred:13047173,midnightblue:1644912,mintcream:16121850,mistyrose:16770273,moccasin:16770229,navajowhite:16768685,navy:128,oldlace:16643558,olive:8421376,olivedrab:7048739,orange:16753920,orangered:16729344,orchid:14315734,palegoldenrod:15657130,palegreen:10025880,paleturquoise:11529966,palevioletred:14381203,papayawhip:16773077,peachpuff:16767673,peru:13468991,pink:16761035,plum:14524637,powderblue:11591910,purple:8388736,rebeccapurple:6697881,red:16711680,rosybrown:12357519,royalblue:4286945,saddlebrown:9127187,salmon:16416882,sandybrown:16032864,seagreen:3050327,seashell:16774638,sienna:10506797,silver:12632256,skyblue:8900331,slateblue:6970061,slategray:7372944,slategrey:7372944,snow:16775930,springgreen:65407,steelblue:4620980,tan:13808780,teal:32896,thistle:14204888,tomato:16737095,turquoise:4251856,violet:15631086,wheat:16113331,white:16777215,whitesmoke:16119285,yellow:16776960,yellowgreen:10145074},qi={h:0,s:0,l:0},bo={h:0,s:0,l:0};function al(i,e,t){return t<0&&(t+=1),t>1&&(t-=1),t<1/6?i+(e-i)*6*t:t<1/2?e:t<2/3?i+(e-i)*6*(2/3-t):i}class St{constructor(e,t,n){return this.isColor=!0,this.r=1,this.g=1,this.b=1,this.set(e,t,n)}set(e,t,n){if(t===void 0&&n===void 0){const s=e;s&&s.isColor?this.copy(s):typeof s=="number"?this.setHex(s):typeof s=="string"&&this.setStyle(s)}else this.setRGB(e,t,n);return this}setScalar(e){return this.r=e,this.g=e,this.b=e,this}setHex(e,t=gi){return e=Math.floor(e),this.r=(e>>16&255)/255,this.g=(e>>8&255)/255,this.b=(e&255)/255,vt.toWorkingColorSpace(this,t),this}setRGB(e,t,n,s=vt.workingColorSpace){return this.r=e,this.g=t,this.b=n,vt.toWorkingColorSpace(this,s),this}setHSL(e,t,n,s=vt.workingColorSpace){if(e=Zm(e,1),t=cn(t,0,1),n=cn(n,0,1),t===0)this.r=this.g=this.b=n;else{const r=n<=.5?n*(1+t):n+t-n*t,o=2*n-r;this.r=al(o,r,e+1/3),this.g=al(o,r,e),this.b=al(o,r,e-1/3)}return vt.toWorkingColorSpace(this,s),this}setStyle(e,t=gi){function n(r){r!==void 0&&parseFloat(r)<1&&console.warn("THREE.Color: Alpha component of "+e+" will be ignored.")}let s;if(s=/^(\w+)\(([^\)]*)\)/.exec(e)){let r;const o=s[1],a=s[2];switch(o){case"rgb":case"rgba":if(r=/^\s*(\d+)\s*,\s*(\d+)\s*,\s*(\d+)\s*(?:,\s*(\d*\.?\d+)\s*)?$/.exec(a))return n(r[4]),this.setRGB(Math.min(255,parseInt(r[1],10))/255,Math.min(255,parseInt(r[2],10))/255,Math.min(255,parseInt(r[3],10))/255,t);if(r=/^\s*(\d+)\%\s*,\s*(\d+)\%\s*,\s*(\d+)\%\s*(?:,\s*(\d*\.?\d+)\s*)?$/.exec(a))return n(r[4]),this.setRGB(Math.min(100,parseInt(r[1],10))/100,Math.min(100,parseInt(r[2],10))/100,Math.min(100,parseInt(r[3],10))/100,t);break;case"hsl":case"hsla":if(r=/^\s*(\d*\.?\d+)\s*,\s*(\d*\.?\d+)\%\s*,\s*(\d*\.?\d+)\%\s*(?:,\s*(\d*\.?\d+)\s*)?$/.exec(a))return n(r[4]),this.setHSL(parseFloat(r[1])/360,parseFloat(r[2])/100,parseFloat(r[3])/100,t);break;default:console.warn("THREE.Color: Unknown color model "+e)}}else if(s=/^\#([A-Fa-f\d]+)$/.exec(e)){const r=s[1],o=r.length;if(o===3)return this.setRGB(parseInt(r.charAt(0),16)/15,parseInt(r.charAt(1),16)/15,parseInt(r.charAt(2),16)/15,t);if(o===6)return this.setHex(parseInt(r,16),t);console.warn("THREE.Color: Invalid hex color "+e)}else if(e&&e.length>0)return this.setColorName(e,t);return this}setColorName(e,t=gi){const n=ed[e.toLowerCase()];return n!==void 0?this.setHex(n,t):console.warn("THREE.Color: Unknown color "+e),this}clone(){return new this.constructor(this.r,this.g,this.b)}copy(e){return this.r=e.r,this.g=e.g,this.b=e.b,this}copySRGBToLinear(e){return this.r=pr(e.r),this.g=pr(e.g),this.b=pr(e.b),this}copyLinearToSRGB(e){return this.r=qa(e.r),this.g=qa(e.g),this.b=qa(e.b),this}convertSRGBToLinear(){return this.copySRGBToLinear(this),this}convertLinearToSRGB(){return this.copyLinearToSRGB(this),this}getHex(e=gi){return vt.fromWorkingColorSpace(dn.copy(this),e),Math.round(cn(dn.r*255,0,255))*65536+Math.round(cn(dn.g*255,0,255))*256+Math.round(cn(dn.b*255,0,255))}getHexString(e=gi){return("000000"+this.getHex(e).toString(16)).slice(-6)}getHSL(e,t=vt.workingColorSpace){vt.fromWorkingColorSpace(dn.copy(this),t);const n=dn.r,s=dn.g,r=dn.b,o=Math.max(n,s,r),a=Math.min(n,s,r);let l,c;const u=(a+o)/2;if(a===o)l=0,c=0;else{const h=o-a;switch(c=u<=.5?h/(o+a):h/(2-o-a),o){case n:l=(s-r)/h+(s<r?6:0);break;case s:l=(r-n)/h+2;break;case r:l=(n-s)/h+4;break}l/=6}return e.h=l,e.s=c,e.l=u,e}getRGB(e,t=vt.workingColorSpace){return vt.fromWorkingColorSpace(dn.copy(this),t),e.r=dn.r,e.g=dn.g,e.b=dn.b,e}getStyle(e=gi){vt.fromWorkingColorSpace(dn.copy(this),e);const t=dn.r,n=dn.g,s=dn.b;return e!==gi?`color(${e} ${t.toFixed(3)} ${n.toFixed(3)} ${s.toFixed(3)})`:`rgb(${Math.round(t*255)},${Math.round(n*255)},${Math.round(s*255)})`}offsetHSL(e,t,n){return this.getHSL(qi),this.setHSL(qi.h+e,qi.s+t,qi.l+n)}add(e){return this.r+=e.r,this.g+=e.g,this.b+=e.b,this}addColors(e,t){return this.r=e.r+t.r,this.g=e.g+t.g,this.b=e.b+t.b,this}addScalar(e){return this.r+=e,this.g+=e,this.b+=e,this}sub(e){return this.r=Math.max(0,this.r-e.r),this.g=Math.max(0,this.g-e.g),this.b=Math.max(0,this.b-e.b),this}multiply(e){return this.r*=e.r,this.g*=e.g,this.b*=e.b,this}multiplyScalar(e){return this.r*=e,this.g*=e,this.b*=e,this}lerp(e,t){return this.r+=(e.r-this.r)*t,this.g+=(e.g-this.g)*t,this.b+=(e.b-this.b)*t,this}lerpColors(e,t,n){return this.r=e.r+(t.r-e.r)*n,this.g=e.g+(t.g-e.g)*n,this.b=e.b+(t.b-e.b)*n,this}lerpHSL(e,t){this.getHSL(qi),e.getHSL(bo);const n=$a(qi.h,bo.h,t),s=$a(qi.s,bo.s,t),r=$a(qi.l,bo.l,t);return this.setHSL(n,s,r),this}setFromVector3(e){return this.r=e.x,this.g=e.y,this.b=e.z,this}applyMatrix3(e){const t=this.r,n=this.g,s=this.b,r=e.elements;return this.r=r[0]*t+r[3]*n+r[6]*s,this.g=r[1]*t+r[4]*n+r[7]*s,this.b=r[2]*t+r[5]*n+r[8]*s,this}equals(e){return e.r===this.r&&e.g===this.g&&e.b===this.b}fromArray(e,t=0){return this.r=e[t],this.g=e[t+1],this.b=e[t+2],this}toArray(e=[],t=0){return e[t]=this.r,e[t+1]=this.g,e[t+2]=this.b,e}fromBufferAttribute(e,t){return this.r=e.getX(t),this.g=e.getY(t),this.b=e.getZ(t),this}toJSON(){return this.getHex()}*[Symbol.iterator](){yield this.r,yield this.g,yield this.b}}const dn=new St;St.NAMES=ed;let pg=0;class ha extends Cs{constructor(){super(),this.isMaterial=!0,Object.defineProperty(this,"id",{value:pg++}),this.uuid=so(),this.name="",this.type="Material",this.blending=fr,this.side=ns,this.vertexColors=!1,this.opacity=1,this.transparent=!1,this.alphaHash=!1,this.blendSrc=Il,this.blendDst=Nl,this.blendEquation=vs,this.blendSrcAlpha=null,this.blendDstAlpha=null,this.blendEquationAlpha=null,this.blendColor=new St(0,0,0),this.blendAlpha=0,this.depthFunc=Ko,this.depthTest=!0,this.depthWrite=!0,this.stencilWriteMask=255,this.stencilFunc=Ru,this.stencilRef=0,this.stencilFuncMask=255,this.stencilFail=Xs,this.stencilZFail=Xs,this.stencilZPass=Xs,this.stencilWrite=!1,this.clippingPlanes=null,this.clipIntersection=!1,this.clipShadows=!1,this.shadowSide=null,this.colorWrite=!0,this.precision=null,this.polygonOffset=!1,this.polygonOffsetFactor=0,this.polygonOffsetUnits=0,this.dithering=!1,this.alphaToCoverage=!1,this.premultipliedAlpha=!1,this.forceSinglePass=!1,this.visible=!0,this.toneMapped=!0,this.userData={},this.version=0,this._alphaTest=0}get alphaTest(){return this._alphaTest}set alphaTest(e){this._alphaTest>0!=e>0&&this.version++,this._alphaTest=e}onBuild(){}onBeforeRender(){}onBeforeCompile(){}customProgramCacheKey(){return this.onBeforeCompile.toString()}setValues(e){if(e!==void 0)for(const t in e){const n=e[t];if(n===void 0){console.warn(`THREE.Material: parameter '${t}' has value of undefined.`);continue}const s=this[t];if(s===void 0){console.warn(`THREE.Material: '${t}' is not a property of THREE.${this.type}.`);continue}s&&s.isColor?s.set(n):s&&s.isVector3&&n&&n.isVector3?s.copy(n):this[t]=n}}toJSON(e){const t=e===void 0||typeof e=="string";t&&(e={textures:{},images:{}});const n={metadata:{version:4.6,type:"Material",generator:"Material.toJSON"}};n.uuid=this.uuid,n.type=this.type,this.name!==""&&(n.name=this.name),this.color&&this.color.isColor&&(n.color=this.color.getHex()),this.roughness!==void 0&&(n.roughness=this.roughness),this.metalness!==void 0&&(n.metalness=this.metalness),this.sheen!==void 0&&(n.sheen=this.sheen),this.sheenColor&&this.sheenColor.isColor&&(n.sheenColor=this.sheenColor.getHex()),this.sheenRoughness!==void 0&&(n.sheenRoughness=this.sheenRoughness),this.emissive&&this.emissive.isColor&&(n.emissive=this.emissive.getHex()),this.emissiveIntensity!==void 0&&this.emissiveIntensity!==1&&(n.emissiveIntensity=this.emissiveIntensity),this.specular&&this.specular.isColor&&(n.specular=this.specular.getHex()),this.specularIntensity!==void 0&&(n.specularIntensity=this.specularIntensity),this.specularColor&&this.specularColor.isColor&&(n.specularColor=this.specularColor.getHex()),this.shininess!==void 0&&(n.shininess=this.shininess),this.clearcoat!==void 0&&(n.clearcoat=this.clearcoat),this.clearcoatRoughness!==void 0&&(n.clearcoatRoughness=this.clearcoatRoughness),this.clearcoatMap&&this.clearcoatMap.isTexture&&(n.clearcoatMap=this.clearcoatMap.toJSON(e).uuid),this.clearcoatRoughnessMap&&this.clearcoatRoughnessMap.isTexture&&(n.clearcoatRoughnessMap=this.clearcoatRoughnessMap.toJSON(e).uuid),this.clearcoatNormalMap&&this.clearcoatNormalMap.isTexture&&(n.clearcoatNormalMap=this.clearcoatNormalMap.toJSON(e).uuid,n.clearcoatNormalScale=this.clearcoatNormalScale.toArray()),this.dispersion!==void 0&&(n.dispersion=this.dispersion),this.iridescence!==void 0&&(n.iridescence=this.iridescence),this.iridescenceIOR!==void 0&&(n.iridescenceIOR=this.iridescenceIOR),this.iridescenceThicknessRange!==void 0&&(n.iridescenceThicknessRange=this.iridescenceThicknessRange),this.iridescenceMap&&this.iridescenceMap.isTexture&&(n.iridescenceMap=this.iridescenceMap.toJSON(e).uuid),this.iridescenceThicknessMap&&this.iridescenceThicknessMap.isTexture&&(n.iridescenceThicknessMap=this.iridescenceThicknessMap.toJSON(e).uuid),this.anisotropy!==void 0&&(n.anisotropy=this.anisotropy),this.anisotropyRotation!==void 0&&(n.anisotropyRotation=this.anisotropyRotation),this.anisotropyMap&&this.anisotropyMap.isTexture&&(n.anisotropyMap=this.anisotropyMap.toJSON(e).uuid),this.map&&this.map.isTexture&&(n.map=this.map.toJSON(e).uuid),this.matcap&&this.matcap.isTexture&&(n.matcap=this.matcap.toJSON(e).uuid),this.alphaMap&&this.alphaMap.isTexture&&(n.alphaMap=this.alphaMap.toJSON(e).uuid),this.lightMap&&this.lightMap.isTexture&&(n.lightMap=this.lightMap.toJSON(e).uuid,n.lightMapIntensity=this.lightMapIntensity),this.aoMap&&this.aoMap.isTexture&&(n.aoMap=this.aoMap.toJSON(e).uuid,n.aoMapIntensity=this.aoMapIntensity),this.bumpMap&&this.bumpMap.isTexture&&(n.bumpMap=this.bumpMap.toJSON(e).uuid,n.bumpScale=this.bumpScale),this.normalMap&&this.normalMap.isTexture&&(n.normalMap=this.normalMap.toJSON(e).uuid,n.normalMapType=this.normalMapType,n.normalScale=this.normalScale.toArray()),this.displacementMap&&this.displacementMap.isTexture&&(n.displacementMap=this.displacementMap.toJSON(e).uuid,n.displacementScale=this.displacementScale,n.displacementBias=this.displacementBias),this.roughnessMap&&this.roughnessMap.isTexture&&(n.roughnessMap=this.roughnessMap.toJSON(e).uuid),this.metalnessMap&&this.metalnessMap.isTexture&&(n.metalnessMap=this.metalnessMap.toJSON(e).uuid),this.emissiveMap&&this.emissiveMap.isTexture&&(n.emissiveMap=this.emissiveMap.toJSON(e).uuid),this.specularMap&&this.specularMap.isTexture&&(n.specularMap=this.specularMap.toJSON(e).uuid),this.specularIntensityMap&&this.specularIntensityMap.isTexture&&(n.specularIntensityMap=this.specularIntensityMap.toJSON(e).uuid),this.specularColorMap&&this.specularColorMap.isTexture&&(n.specularColorMap=this.specularColorMap.toJSON(e).uuid),this.envMap&&this.envMap.isTexture&&(n.envMap=this.envMap.toJSON(e).uuid,this.combine!==void 0&&(n.combine=this.combine)),this.envMapRotation!==void 0&&(n.envMapRotation=this.envMapRotation.toArray()),this.envMapIntensity!==void 0&&(n.envMapIntensity=this.envMapIntensity),this.reflectivity!==void 0&&(n.reflectivity=this.reflectivity),this.refractionRatio!==void 0&&(n.refractionRatio=this.refractionRatio),this.gradientMap&&this.gradientMap.isTexture&&(n.gradientMap=this.gradientMap.toJSON(e).uuid),this.transmission!==void 0&&(n.transmission=this.transmission),this.transmissionMap&&this.transmissionMap.isTexture&&(n.transmissionMap=this.transmissionMap.toJSON(e).uuid),this.thickness!==void 0&&(n.thickness=this.thickness),this.thicknessMap&&this.thicknessMap.isTexture&&(n.thicknessMap=this.thicknessMap.toJSON(e).uuid),this.attenuationDistance!==void 0&&this.attenuationDistance!==1/0&&(n.attenuationDistance=this.attenuationDistance),this.attenuationColor!==void 0&&(n.attenuationColor=this.attenuationColor.getHex()),this.size!==void 0&&(n.size=this.size),this.shadowSide!==null&&(n.shadowSide=this.shadowSide),this.sizeAttenuation!==void 0&&(n.sizeAttenuation=this.sizeAttenuation),this.blending!==fr&&(n.blending=this.blending),this.side!==ns&&(n.side=this.side),this.vertexColors===!0&&(n.vertexColors=!0),this.opacity<1&&(n.opacity=this.opacity),this.transparent===!0&&(n.transparent=!0),this.blendSrc!==Il&&(n.blendSrc=this.blendSrc),this.blendDst!==Nl&&(n.blendDst=this.blendDst),this.blendEquation!==vs&&(n.blendEquation=this.blendEquation),this.blendSrcAlpha!==null&&(n.blendSrcAlpha=this.blendSrcAlpha),this.blendDstAlpha!==null&&(n.blendDstAlpha=this.blendDstAlpha),this.blendEquationAlpha!==null&&(n.blendEquationAlpha=this.blendEquationAlpha),this.blendColor&&this.blendColor.isColor&&(n.blendColor=this.blendColor.getHex()),this.blendAlpha!==0&&(n.blendAlpha=this.blendAlpha),this.depthFunc!==Ko&&(n.depthFunc=this.depthFunc),this.depthTest===!1&&(n.depthTest=this.depthTest),this.depthWrite===!1&&(n.depthWrite=this.depthWrite),this.colorWrite===!1&&(n.colorWrite=this.colorWrite),this.stencilWriteMask!==255&&(n.stencilWriteMask=this.stencilWriteMask),this.stencilFunc!==Ru&&(n.stencilFunc=this.stencilFunc),this.stencilRef!==0&&(n.stencilRef=this.stencilRef),this.stencilFuncMask!==255&&(n.stencilFuncMask=this.stencilFuncMask),this.stencilFail!==Xs&&(n.stencilFail=this.stencilFail),this.stencilZFail!==Xs&&(n.stencilZFail=this.stencilZFail),this.stencilZPass!==Xs&&(n.stencilZPass=this.stencilZPass),this.stencilWrite===!0&&(n.stencilWrite=this.stencilWrite),this.rotation!==void 0&&this.rotation!==0&&(n.rotation=this.rotation),this.polygonOffset===!0&&(n.polygonOffset=!0),this.polygonOffsetFactor!==0&&(n.polygonOffsetFactor=this.polygonOffsetFactor),this.polygonOffsetUnits!==0&&(n.polygonOffsetUnits=this.polygonOffsetUnits),this.linewidth!==void 0&&this.linewidth!==1&&(n.linewidth=this.linewidth),this.dashSize!==void 0&&(n.dashSize=this.dashSize),this.gapSize!==void 0&&(n.gapSize=this.gapSize),this.scale!==void 0&&(n.scale=this.scale),this.dithering===!0&&(n.dithering=!0),this.alphaTest>0&&(n.alphaTest=this.alphaTest),this.alphaHash===!0&&(n.alphaHash=!0),this.alphaToCoverage===!0&&(n.alphaToCoverage=!0),this.premultipliedAlpha===!0&&(n.premultipliedAlpha=!0),this.forceSinglePass===!0&&(n.forceSinglePass=!0),this.wireframe===!0&&(n.wireframe=!0),this.wireframeLinewidth>1&&(n.wireframeLinewidth=this.wireframeLinewidth),this.wireframeLinecap!=="round"&&(n.wireframeLinecap=this.wireframeLinecap),this.wireframeLinejoin!=="round"&&(n.wireframeLinejoin=this.wireframeLinejoin),this.flatShading===!0&&(n.flatShading=!0),this.visible===!1&&(n.visible=!1),this.toneMapped===!1&&(n.toneMapped=!1),this.fog===!1&&(n.fog=!1),Object.keys(this.userData).length>0&&(n.userData=this.userData);function s(r){const o=[];for(const a in r){const l=r[a];delete l.metadata,o.push(l)}return o}if(t){const r=s(e.textures),o=s(e.images);r.length>0&&(n.textures=r),o.length>0&&(n.images=o)}return n}clone(){return new this.constructor().copy(this)}copy(e){this.name=e.name,this.blending=e.blending,this.side=e.side,this.vertexColors=e.vertexColors,this.opacity=e.opacity,this.transparent=e.transparent,this.blendSrc=e.blendSrc,this.blendDst=e.blendDst,this.blendEquation=e.blendEquation,this.blendSrcAlpha=e.blendSrcAlpha,this.blendDstAlpha=e.blendDstAlpha,this.blendEquationAlpha=e.blendEquationAlpha,this.blendColor.copy(e.blendColor),this.blendAlpha=e.blendAlpha,this.depthFunc=e.depthFunc,this.depthTest=e.depthTest,this.depthWrite=e.depthWrite,this.stencilWriteMask=e.stencilWriteMask,this.stencilFunc=e.stencilFunc,this.stencilRef=e.stencilRef,this.stencilFuncMask=e.stencilFuncMask,this.stencilFail=e.stencilFail,this.stencilZFail=e.stencilZFail,this.stencilZPass=e.stencilZPass,this.stencilWrite=e.stencilWrite;const t=e.clippingPlanes;let n=null;if(t!==null){const s=t.length;n=new Array(s);for(let r=0;r!==s;++r)n[r]=t[r].clone()}return this.clippingPlanes=n,this.clipIntersection=e.clipIntersection,this.clipShadows=e.clipShadows,this.shadowSide=e.shadowSide,this.colorWrite=e.colorWrite,this.precision=e.precision,this.polygonOffset=e.polygonOffset,this.polygonOffsetFactor=e.polygonOffsetFactor,this.polygonOffsetUnits=e.polygonOffsetUnits,this.dithering=e.dithering,this.alphaTest=e.alphaTest,this.alphaHash=e.alphaHash,this.alphaToCoverage=e.alphaToCoverage,this.premultipliedAlpha=e.premultipliedAlpha,this.forceSinglePass=e.forceSinglePass,this.visible=e.visible,this.toneMapped=e.toneMapped,this.userData=JSON.parse(JSON.stringify(e.userData)),this}dispose(){this.dispatchEvent({type:"dispose"})}set needsUpdate(e){e===!0&&this.version++}}class na extends ha{constructor(e){super(),this.isMeshBasicMaterial=!0,this.type="MeshBasicMaterial",this.color=new St(16777215),this.map=null,this.lightMap=null,this.lightMapIntensity=1,this.aoMap=null,this.aoMapIntensity=1,this.specularMap=null,this.alphaMap=null,this.envMap=null,this.envMapRotation=new Fi,this.combine=Hf,this.reflectivity=1,this.refractionRatio=.98,this.wireframe=!1,this.wireframeLinewidth=1,this.wireframeLinecap="round",this.wireframeLinejoin="round",this.fog=!0,this.setValues(e)}copy(e){return super.copy(e),this.color.copy(e.color),this.map=e.map,this.lightMap=e.lightMap,this.lightMapIntensity=e.lightMapIntensity,this.aoMap=e.aoMap,this.aoMapIntensity=e.aoMapIntensity,this.specularMap=e.specularMap,this.alphaMap=e.alphaMap,this.envMap=e.envMap,this.envMapRotation.copy(e.envMapRotation),this.combine=e.combine,this.reflectivity=e.reflectivity,this.refractionRatio=e.refractionRatio,this.wireframe=e.wireframe,this.wireframeLinewidth=e.wireframeLinewidth,this.wireframeLinecap=e.wireframeLinecap,this.wireframeLinejoin=e.wireframeLinejoin,this.fog=e.fog,this}}const Wt=new $,wo=new ze;class En{constructor(e,t,n=!1){if(Array.isArray(e))throw new TypeError("THREE.BufferAttribute: array should be a Typed Array.");this.isBufferAttribute=!0,this.name="",this.array=e,this.itemSize=t,this.count=e!==void 0?e.length/t:0,this.normalized=n,this.usage=Cu,this._updateRange={offset:0,count:-1},this.updateRanges=[],this.gpuType=Qi,this.version=0}onUploadCallback(){}set needsUpdate(e){e===!0&&this.version++}get updateRange(){return eg("THREE.BufferAttribute: updateRange() is deprecated and will be removed in r169. Use addUpdateRange() instead."),this._updateRange}setUsage(e){return this.usage=e,this}addUpdateRange(e,t){this.updateRanges.push({start:e,count:t})}clearUpdateRanges(){this.updateRanges.length=0}copy(e){return this.name=e.name,this.array=new e.array.constructor(e.array),this.itemSize=e.itemSize,this.count=e.count,this.normalized=e.normalized,this.usage=e.usage,this.gpuType=e.gpuType,this}copyAt(e,t,n){e*=this.itemSize,n*=t.itemSize;for(let s=0,r=this.itemSize;s<r;s++)this.array[e+s]=t.array[n+s];return this}copyArray(e){return this.array.set(e),this}applyMatrix3(e){if(this.itemSize===2)for(let t=0,n=this.count;t<n;t++)wo.fromBufferAttribute(this,t),wo.applyMatrix3(e),this.setXY(t,wo.x,wo.y);else if(this.itemSize===3)for(let t=0,n=this.count;t<n;t++)Wt.fromBufferAttribute(this,t),Wt.applyMatrix3(e),this.setXYZ(t,Wt.x,Wt.y,Wt.z);return this}applyMatrix4(e){for(let t=0,n=this.count;t<n;t++)Wt.fromBufferAttribute(this,t),Wt.applyMatrix4(e),this.setXYZ(t,Wt.x,Wt.y,Wt.z);return this}applyNormalMatrix(e){for(let t=0,n=this.count;t<n;t++)Wt.fromBufferAttribute(this,t),Wt.applyNormalMatrix(e),this.setXYZ(t,Wt.x,Wt.y,Wt.z);return this}transformDirection(e){for(let t=0,n=this.count;t<n;t++)Wt.fromBufferAttribute(this,t),Wt.transformDirection(e),this.setXYZ(t,Wt.x,Wt.y,Wt.z);return this}set(e,t=0){return this.array.set(e,t),this}getComponent(e,t){let n=this.array[e*this.itemSize+t];return this.normalized&&(n=Fr(n,this.array)),n}setComponent(e,t,n){return this.normalized&&(n=wn(n,this.array)),this.array[e*this.itemSize+t]=n,this}getX(e){let t=this.array[e*this.itemSize];return this.normalized&&(t=Fr(t,this.array)),t}setX(e,t){return this.normalized&&(t=wn(t,this.array)),this.array[e*this.itemSize]=t,this}getY(e){let t=this.array[e*this.itemSize+1];return this.normalized&&(t=Fr(t,this.array)),t}setY(e,t){return this.normalized&&(t=wn(t,this.array)),this.array[e*this.itemSize+1]=t,this}getZ(e){let t=this.array[e*this.itemSize+2];return this.normalized&&(t=Fr(t,this.array)),t}setZ(e,t){return this.normalized&&(t=wn(t,this.array)),this.array[e*this.itemSize+2]=t,this}getW(e){let t=this.array[e*this.itemSize+3];return this.normalized&&(t=Fr(t,this.array)),t}setW(e,t){return this.normalized&&(t=wn(t,this.array)),this.array[e*this.itemSize+3]=t,this}setXY(e,t,n){return e*=this.itemSize,this.normalized&&(t=wn(t,this.array),n=wn(n,this.array)),this.array[e+0]=t,this.array[e+1]=n,this}setXYZ(e,t,n,s){return e*=this.itemSize,this.normalized&&(t=wn(t,this.array),n=wn(n,this.array),s=wn(s,this.array)),this.array[e+0]=t,this.array[e+1]=n,this.array[e+2]=s,this}setXYZW(e,t,n,s,r){return e*=this.itemSize,this.normalized&&(t=wn(t,this.array),n=wn(n,this.array),s=wn(s,this.array),r=wn(r,this.array)),this.array[e+0]=t,this.array[e+1]=n,this.array[e+2]=s,this.array[e+3]=r,this}onUpload(e){return this.onUploadCallback=e,this}clone(){return new this.constructor(this.array,this.itemSize).copy(this)}toJSON(){const e={itemSize:this.itemSize,type:this.array.constructor.name,array:Array.from(this.array),normalized:this.normalized};return this.name!==""&&(e.name=this.name),this.usage!==Cu&&(e.usage=this.usage),e}}class td extends En{constructor(e,t,n){super(new Uint16Array(e),t,n)}}class nd extends En{constructor(e,t,n){super(new Uint32Array(e),t,n)}}class zn extends En{constructor(e,t,n){super(new Float32Array(e),t,n)}}let mg=0;const $n=new Bt,ll=new Bn,tr=new $,On=new ro,Hr=new ro,sn=new $;class ui extends Cs{constructor(){super(),this.isBufferGeometry=!0,Object.defineProperty(this,"id",{value:mg++}),this.uuid=so(),this.name="",this.type="BufferGeometry",this.index=null,this.attributes={},this.morphAttributes={},this.morphTargetsRelative=!1,this.groups=[],this.boundingBox=null,this.boundingSphere=null,this.drawRange={start:0,count:1/0},this.userData={}}getIndex(){return this.index}setIndex(e){return Array.isArray(e)?this.index=new(Zf(e)?nd:td)(e,1):this.index=e,this}getAttribute(e){return this.attributes[e]}setAttribute(e,t){return this.attributes[e]=t,this}deleteAttribute(e){return delete this.attributes[e],this}hasAttribute(e){return this.attributes[e]!==void 0}addGroup(e,t,n=0){this.groups.push({start:e,count:t,materialIndex:n})}clearGroups(){this.groups=[]}setDrawRange(e,t){this.drawRange.start=e,this.drawRange.count=t}applyMatrix4(e){const t=this.attributes.position;t!==void 0&&(t.applyMatrix4(e),t.needsUpdate=!0);const n=this.attributes.normal;if(n!==void 0){const r=new rt().getNormalMatrix(e);n.applyNormalMatrix(r),n.needsUpdate=!0}const s=this.attributes.tangent;return s!==void 0&&(s.transformDirection(e),s.needsUpdate=!0),this.boundingBox!==null&&this.computeBoundingBox(),this.boundingSphere!==null&&this.computeBoundingSphere(),this}applyQuaternion(e){return $n.makeRotationFromQuaternion(e),this.applyMatrix4($n),this}rotateX(e){return $n.makeRotationX(e),this.applyMatrix4($n),this}rotateY(e){return $n.makeRotationY(e),this.applyMatrix4($n),this}rotateZ(e){return $n.makeRotationZ(e),this.applyMatrix4($n),this}translate(e,t,n){return $n.makeTranslation(e,t,n),this.applyMatrix4($n),this}scale(e,t,n){return $n.makeScale(e,t,n),this.applyMatrix4($n),this}lookAt(e){return ll.lookAt(e),ll.updateMatrix(),this.applyMatrix4(ll.matrix),this}center(){return this.computeBoundingBox(),this.boundingBox.getCenter(tr).negate(),this.translate(tr.x,tr.y,tr.z),this}setFromPoints(e){const t=[];for(let n=0,s=e.length;n<s;n++){const r=e[n];t.push(r.x,r.y,r.z||0)}return this.setAttribute("position",new zn(t,3)),this}computeBoundingBox(){this.boundingBox===null&&(this.boundingBox=new ro);const e=this.attributes.position,t=this.morphAttributes.position;if(e&&e.isGLBufferAttribute){console.error("THREE.BufferGeometry.computeBoundingBox(): GLBufferAttribute requires a manual bounding box.",this),this.boundingBox.set(new $(-1/0,-1/0,-1/0),new $(1/0,1/0,1/0));return}if(e!==void 0){if(this.boundingBox.setFromBufferAttribute(e),t)for(let n=0,s=t.length;n<s;n++){const r=t[n];On.setFromBufferAttribute(r),this.morphTargetsRelative?(sn.addVectors(this.boundingBox.min,On.min),this.boundingBox.expandByPoint(sn),sn.addVectors(this.boundingBox.max,On.max),this.boundingBox.expandByPoint(sn)):(this.boundingBox.expandByPoint(On.min),this.boundingBox.expandByPoint(On.max))}}else this.boundingBox.makeEmpty();(isNaN(this.boundingBox.min.x)||isNaN(this.boundingBox.min.y)||isNaN(this.boundingBox.min.z))&&console.error('THREE.BufferGeometry.computeBoundingBox(): Computed min/max have NaN values. The "position" attribute is likely to have NaN values.',this)}computeBoundingSphere(){this.boundingSphere===null&&(this.boundingSphere=new sc);const e=this.attributes.position,t=this.morphAttributes.position;if(e&&e.isGLBufferAttribute){console.error("THREE.BufferGeometry.computeBoundingSphere(): GLBufferAttribute requires a manual bounding sphere.",this),this.boundingSphere.set(new $,1/0);return}if(e){const n=this.boundingSphere.center;if(On.setFromBufferAttribute(e),t)for(let r=0,o=t.length;r<o;r++){const a=t[r];Hr.setFromBufferAttribute(a),this.morphTargetsRelative?(sn.addVectors(On.min,Hr.min),On.expandByPoint(sn),sn.addVectors(On.max,Hr.max),On.expandByPoint(sn)):(On.expandByPoint(Hr.min),On.expandByPoint(Hr.max))}On.getCenter(n);let s=0;for(let r=0,o=e.count;r<o;r++)sn.fromBufferAttribute(e,r),s=Math.max(s,n.distanceToSquared(sn));if(t)for(let r=0,o=t.length;r<o;r++){const a=t[r],l=this.morphTargetsRelative;for(let c=0,u=a.count;c<u;c++)sn.fromBufferAttribute(a,c),l&&(tr.fromBufferAttribute(e,c),sn.add(tr)),s=Math.max(s,n.distanceToSquared(sn))}this.boundingSphere.radius=Math.sqrt(s),isNaN(this.boundingSphere.radius)&&console.error('THREE.BufferGeometry.computeBoundingSphere(): Computed radius is NaN. The "position" attribute is likely to have NaN values.',this)}}computeTangents(){const e=this.index,t=this.attributes;if(e===null||t.position===void 0||t.normal===void 0||t.uv===void 0){console.error("THREE.BufferGeometry: .computeTangents() failed. Missing required attributes (index, position, normal or uv)");return}const n=t.position,s=t.normal,r=t.uv;this.hasAttribute("tangent")===!1&&this.setAttribute("tangent",new En(new Float32Array(4*n.count),4));const o=this.getAttribute("tangent"),a=[],l=[];for(let z=0;z<n.count;z++)a[z]=new $,l[z]=new $;const c=new $,u=new $,h=new $,f=new ze,m=new ze,_=new ze,v=new $,p=new $;function d(z,w,M){c.fromBufferAttribute(n,z),u.fromBufferAttribute(n,w),h.fromBufferAttribute(n,M),f.fromBufferAttribute(r,z),m.fromBufferAttribute(r,w),_.fromBufferAttribute(r,M),u.sub(c),h.sub(c),m.sub(f),_.sub(f);const U=1/(m.x*_.y-_.x*m.y);isFinite(U)&&(v.copy(u).multiplyScalar(_.y).addScaledVector(h,-m.y).multiplyScalar(U),p.copy(h).multiplyScalar(m.x).addScaledVector(u,-_.x).multiplyScalar(U),a[z].add(v),a[w].add(v),a[M].add(v),l[z].add(p),l[w].add(p),l[M].add(p))}let y=this.groups;y.length===0&&(y=[{start:0,count:e.count}]);for(let z=0,w=y.length;z<w;++z){const M=y[z],U=M.start,G=M.count;for(let N=U,Z=U+G;N<Z;N+=3)d(e.getX(N+0),e.getX(N+1),e.getX(N+2))}const x=new $,b=new $,H=new $,T=new $;function R(z){H.fromBufferAttribute(s,z),T.copy(H);const w=a[z];x.copy(w),x.sub(H.multiplyScalar(H.dot(w))).normalize(),b.crossVectors(T,w);const U=b.dot(l[z])<0?-1:1;o.setXYZW(z,x.x,x.y,x.z,U)}for(let z=0,w=y.length;z<w;++z){const M=y[z],U=M.start,G=M.count;for(let N=U,Z=U+G;N<Z;N+=3)R(e.getX(N+0)),R(e.getX(N+1)),R(e.getX(N+2))}}computeVertexNormals(){const e=this.index,t=this.getAttribute("position");if(t!==void 0){let n=this.getAttribute("normal");if(n===void 0)n=new En(new Float32Array(t.count*3),3),this.setAttribute("normal",n);else for(let f=0,m=n.count;f<m;f++)n.setXYZ(f,0,0,0);const s=new $,r=new $,o=new $,a=new $,l=new $,c=new $,u=new $,h=new $;if(e)for(let f=0,m=e.count;f<m;f+=3){const _=e.getX(f+0),v=e.getX(f+1),p=e.getX(f+2);s.fromBufferAttribute(t,_),r.fromBufferAttribute(t,v),o.fromBufferAttribute(t,p),u.subVectors(o,r),h.subVectors(s,r),u.cross(h),a.fromBufferAttribute(n,_),l.fromBufferAttribute(n,v),c.fromBufferAttribute(n,p),a.add(u),l.add(u),c.add(u),n.setXYZ(_,a.x,a.y,a.z),n.setXYZ(v,l.x,l.y,l.z),n.setXYZ(p,c.x,c.y,c.z)}else for(let f=0,m=t.count;f<m;f+=3)s.fromBufferAttribute(t,f+0),r.fromBufferAttribute(t,f+1),o.fromBufferAttribute(t,f+2),u.subVectors(o,r),h.subVectors(s,r),u.cross(h),n.setXYZ(f+0,u.x,u.y,u.z),n.setXYZ(f+1,u.x,u.y,u.z),n.setXYZ(f+2,u.x,u.y,u.z);this.normalizeNormals(),n.needsUpdate=!0}}normalizeNormals(){const e=this.attributes.normal;for(let t=0,n=e.count;t<n;t++)sn.fromBufferAttribute(e,t),sn.normalize(),e.setXYZ(t,sn.x,sn.y,sn.z)}toNonIndexed(){function e(a,l){const c=a.array,u=a.itemSize,h=a.normalized,f=new c.constructor(l.length*u);let m=0,_=0;for(let v=0,p=l.length;v<p;v++){a.isInterleavedBufferAttribute?m=l[v]*a.data.stride+a.offset:m=l[v]*u;for(let d=0;d<u;d++)f[_++]=c[m++]}return new En(f,u,h)}if(this.index===null)return console.warn("THREE.BufferGeometry.toNonIndexed(): BufferGeometry is already non-indexed."),this;const t=new ui,n=this.index.array,s=this.attributes;for(const a in s){const l=s[a],c=e(l,n);t.setAttribute(a,c)}const r=this.morphAttributes;for(const a in r){const l=[],c=r[a];for(let u=0,h=c.length;u<h;u++){const f=c[u],m=e(f,n);l.push(m)}t.morphAttributes[a]=l}t.morphTargetsRelative=this.morphTargetsRelative;const o=this.groups;for(let a=0,l=o.length;a<l;a++){const c=o[a];t.addGroup(c.start,c.count,c.materialIndex)}return t}toJSON(){const e={metadata:{version:4.6,type:"BufferGeometry",generator:"BufferGeometry.toJSON"}};if(e.uuid=this.uuid,e.type=this.type,this.name!==""&&(e.name=this.name),Object.keys(this.userData).length>0&&(e.userData=this.userData),this.parameters!==void 0){const l=this.parameters;for(const c in l)l[c]!==void 0&&(e[c]=l[c]);return e}e.data={attributes:{}};const t=this.index;t!==null&&(e.data.index={type:t.array.constructor.name,array:Array.prototype.slice.call(t.array)});const n=this.attributes;for(const l in n){const c=n[l];e.data.attributes[l]=c.toJSON(e.data)}const s={};let r=!1;for(const l in this.morphAttributes){const c=this.morphAttributes[l],u=[];for(let h=0,f=c.length;h<f;h++){const m=c[h];u.push(m.toJSON(e.data))}u.length>0&&(s[l]=u,r=!0)}r&&(e.data.morphAttributes=s,e.data.morphTargetsRelative=this.morphTargetsRelative);const o=this.groups;o.length>0&&(e.data.groups=JSON.parse(JSON.stringify(o)));const a=this.boundingSphere;return a!==null&&(e.data.boundingSphere={center:a.center.toArray(),radius:a.radius}),e}clone(){return new this.constructor().copy(this)}copy(e){this.index=null,this.attributes={},this.morphAttributes={},this.groups=[],this.boundingBox=null,this.boundingSphere=null;const t={};this.name=e.name;const n=e.index;n!==null&&this.setIndex(n.clone(t));const s=e.attributes;for(const c in s){const u=s[c];this.setAttribute(c,u.clone(t))}const r=e.morphAttributes;for(const c in r){const u=[],h=r[c];for(let f=0,m=h.length;f<m;f++)u.push(h[f].clone(t));this.morphAttributes[c]=u}this.morphTargetsRelative=e.morphTargetsRelative;const o=e.groups;for(let c=0,u=o.length;c<u;c++){const h=o[c];this.addGroup(h.start,h.count,h.materialIndex)}const a=e.boundingBox;a!==null&&(this.boundingBox=a.clone());const l=e.boundingSphere;return l!==null&&(this.boundingSphere=l.clone()),this.drawRange.start=e.drawRange.start,this.drawRange.count=e.drawRange.count,this.userData=e.userData,this}dispose(){this.dispatchEvent({type:"dispose"})}}const Gu=new Bt,us=new rc,To=new sc,Wu=new $,nr=new $,ir=new $,sr=new $,cl=new $,Ao=new $,Ro=new ze,Co=new ze,Po=new ze,Xu=new $,$u=new $,Yu=new $,Lo=new $,Do=new $;class Rn extends Bn{constructor(e=new ui,t=new na){super(),this.isMesh=!0,this.type="Mesh",this.geometry=e,this.material=t,this.updateMorphTargets()}copy(e,t){return super.copy(e,t),e.morphTargetInfluences!==void 0&&(this.morphTargetInfluences=e.morphTargetInfluences.slice()),e.morphTargetDictionary!==void 0&&(this.morphTargetDictionary=Object.assign({},e.morphTargetDictionary)),this.material=Array.isArray(e.material)?e.material.slice():e.material,this.geometry=e.geometry,this}updateMorphTargets(){const t=this.geometry.morphAttributes,n=Object.keys(t);if(n.length>0){const s=t[n[0]];if(s!==void 0){this.morphTargetInfluences=[],this.morphTargetDictionary={};for(let r=0,o=s.length;r<o;r++){const a=s[r].name||String(r);this.morphTargetInfluences.push(0),this.morphTargetDictionary[a]=r}}}}getVertexPosition(e,t){const n=this.geometry,s=n.attributes.position,r=n.morphAttributes.position,o=n.morphTargetsRelative;t.fromBufferAttribute(s,e);const a=this.morphTargetInfluences;if(r&&a){Ao.set(0,0,0);for(let l=0,c=r.length;l<c;l++){const u=a[l],h=r[l];u!==0&&(cl.fromBufferAttribute(h,e),o?Ao.addScaledVector(cl,u):Ao.addScaledVector(cl.sub(t),u))}t.add(Ao)}return t}raycast(e,t){const n=this.geometry,s=this.material,r=this.matrixWorld;s!==void 0&&(n.boundingSphere===null&&n.computeBoundingSphere(),To.copy(n.boundingSphere),To.applyMatrix4(r),us.copy(e.ray).recast(e.near),!(To.containsPoint(us.origin)===!1&&(us.intersectSphere(To,Wu)===null||us.origin.distanceToSquared(Wu)>(e.far-e.near)**2))&&(Gu.copy(r).invert(),us.copy(e.ray).applyMatrix4(Gu),!(n.boundingBox!==null&&us.intersectsBox(n.boundingBox)===!1)&&this._computeIntersections(e,t,us)))}_computeIntersections(e,t,n){let s;const r=this.geometry,o=this.material,a=r.index,l=r.attributes.position,c=r.attributes.uv,u=r.attributes.uv1,h=r.attributes.normal,f=r.groups,m=r.drawRange;if(a!==null)if(Array.isArray(o))for(let _=0,v=f.length;_<v;_++){const p=f[_],d=o[p.materialIndex],y=Math.max(p.start,m.start),x=Math.min(a.count,Math.min(p.start+p.count,m.start+m.count));for(let b=y,H=x;b<H;b+=3){const T=a.getX(b),R=a.getX(b+1),z=a.getX(b+2);s=Uo(this,d,e,n,c,u,h,T,R,z),s&&(s.faceIndex=Math.floor(b/3),s.face.materialIndex=p.materialIndex,t.push(s))}}else{const _=Math.max(0,m.start),v=Math.min(a.count,m.start+m.count);for(let p=_,d=v;p<d;p+=3){const y=a.getX(p),x=a.getX(p+1),b=a.getX(p+2);s=Uo(this,o,e,n,c,u,h,y,x,b),s&&(s.faceIndex=Math.floor(p/3),t.push(s))}}else if(l!==void 0)if(Array.isArray(o))for(let _=0,v=f.length;_<v;_++){const p=f[_],d=o[p.materialIndex],y=Math.max(p.start,m.start),x=Math.min(l.count,Math.min(p.start+p.count,m.start+m.count));for(let b=y,H=x;b<H;b+=3){const T=b,R=b+1,z=b+2;s=Uo(this,d,e,n,c,u,h,T,R,z),s&&(s.faceIndex=Math.floor(b/3),s.face.materialIndex=p.materialIndex,t.push(s))}}else{const _=Math.max(0,m.start),v=Math.min(l.count,m.start+m.count);for(let p=_,d=v;p<d;p+=3){const y=p,x=p+1,b=p+2;s=Uo(this,o,e,n,c,u,h,y,x,b),s&&(s.faceIndex=Math.floor(p/3),t.push(s))}}}}function gg(i,e,t,n,s,r,o,a){let l;if(e.side===Pn?l=n.intersectTriangle(o,r,s,!0,a):l=n.intersectTriangle(s,r,o,e.side===ns,a),l===null)return null;Do.copy(a),Do.applyMatrix4(i.matrixWorld);const c=t.ray.origin.distanceTo(Do);return c<t.near||c>t.far?null:{distance:c,point:Do.clone(),object:i}}function Uo(i,e,t,n,s,r,o,a,l,c){i.getVertexPosition(a,nr),i.getVertexPosition(l,ir),i.getVertexPosition(c,sr);const u=gg(i,e,t,n,nr,ir,sr,Lo);if(u){s&&(Ro.fromBufferAttribute(s,a),Co.fromBufferAttribute(s,l),Po.fromBufferAttribute(s,c),u.uv=vi.getInterpolation(Lo,nr,ir,sr,Ro,Co,Po,new ze)),r&&(Ro.fromBufferAttribute(r,a),Co.fromBufferAttribute(r,l),Po.fromBufferAttribute(r,c),u.uv1=vi.getInterpolation(Lo,nr,ir,sr,Ro,Co,Po,new ze)),o&&(Xu.fromBufferAttribute(o,a),$u.fromBufferAttribute(o,l),Yu.fromBufferAttribute(o,c),u.normal=vi.getInterpolation(Lo,nr,ir,sr,Xu,$u,Yu,new $),u.normal.dot(n.direction)>0&&u.normal.multiplyScalar(-1));const h={a,b:l,c,normal:new $,materialIndex:0};vi.getNormal(nr,ir,sr,h.normal),u.face=h}return u}class oo extends ui{constructor(e=1,t=1,n=1,s=1,r=1,o=1){super(),this.type="BoxGeometry",this.parameters={width:e,height:t,depth:n,widthSegments:s,heightSegments:r,depthSegments:o};const a=this;s=Math.floor(s),r=Math.floor(r),o=Math.floor(o);const l=[],c=[],u=[],h=[];let f=0,m=0;_("z","y","x",-1,-1,n,t,e,o,r,0),_("z","y","x",1,-1,n,t,-e,o,r,1),_("x","z","y",1,1,e,n,t,s,o,2),_("x","z","y",1,-1,e,n,-t,s,o,3),_("x","y","z",1,-1,e,t,n,s,r,4),_("x","y","z",-1,-1,e,t,-n,s,r,5),this.setIndex(l),this.setAttribute("position",new zn(c,3)),this.setAttribute("normal",new zn(u,3)),this.setAttribute("uv",new zn(h,2));function _(v,p,d,y,x,b,H,T,R,z,w){const M=b/R,U=H/z,G=b/2,N=H/2,Z=T/2,X=R+1,se=z+1;let te=0,ne=0;const Y=new $;for(let q=0;q<se;q++){const fe=q*U-N;for(let P=0;P<X;P++){const V=P*M-G;Y[v]=V*y,Y[p]=fe*x,Y[d]=Z,c.push(Y.x,Y.y,Y.z),Y[v]=0,Y[p]=0,Y[d]=T>0?1:-1,u.push(Y.x,Y.y,Y.z),h.push(P/R),h.push(1-q/z),te+=1}}for(let q=0;q<z;q++)for(let fe=0;fe<R;fe++){const P=f+fe+X*q,V=f+fe+X*(q+1),D=f+(fe+1)+X*(q+1),K=f+(fe+1)+X*q;l.push(P,V,K),l.push(V,D,K),ne+=6}a.addGroup(m,ne,w),m+=ne,f+=te}}copy(e){return super.copy(e),this.parameters=Object.assign({},e.parameters),this}static fromJSON(e){return new oo(e.width,e.height,e.depth,e.widthSegments,e.heightSegments,e.depthSegments)}}function Mr(i){const e={};for(const t in i){e[t]={};for(const n in i[t]){const s=i[t][n];s&&(s.isColor||s.isMatrix3||s.isMatrix4||s.isVector2||s.isVector3||s.isVector4||s.isTexture||s.isQuaternion)?s.isRenderTargetTexture?(console.warn("UniformsUtils: Textures of render targets cannot be cloned via cloneUniforms() or mergeUniforms()."),e[t][n]=null):e[t][n]=s.clone():Array.isArray(s)?e[t][n]=s.slice():e[t][n]=s}}return e}function xn(i){const e={};for(let t=0;t<i.length;t++){const n=Mr(i[t]);for(const s in n)e[s]=n[s]}return e}function _g(i){const e=[];for(let t=0;t<i.length;t++)e.push(i[t].clone());return e}function id(i){const e=i.getRenderTarget();return e===null?i.outputColorSpace:e.isXRRenderTarget===!0?e.texture.colorSpace:vt.workingColorSpace}const vg={clone:Mr,merge:xn};var xg=`void main() {
	gl_Position = projectionMatrix * modelViewMatrix * vec4( position, 1.0 );
}`,Mg=`void main() {
	gl_FragColor = vec4( 1.0, 0.0, 0.0, 1.0 );
}`;class yi extends ha{constructor(e){super(),this.isShaderMaterial=!0,this.type="ShaderMaterial",this.defines={},this.uniforms={},this.uniformsGroups=[],this.vertexShader=xg,this.fragmentShader=Mg,this.linewidth=1,this.wireframe=!1,this.wireframeLinewidth=1,this.fog=!1,this.lights=!1,this.clipping=!1,this.forceSinglePass=!0,this.extensions={clipCullDistance:!1,multiDraw:!1},this.defaultAttributeValues={color:[1,1,1],uv:[0,0],uv1:[0,0]},this.index0AttributeName=void 0,this.uniformsNeedUpdate=!1,this.glslVersion=null,e!==void 0&&this.setValues(e)}copy(e){return super.copy(e),this.fragmentShader=e.fragmentShader,this.vertexShader=e.vertexShader,this.uniforms=Mr(e.uniforms),this.uniformsGroups=_g(e.uniformsGroups),this.defines=Object.assign({},e.defines),this.wireframe=e.wireframe,this.wireframeLinewidth=e.wireframeLinewidth,this.fog=e.fog,this.lights=e.lights,this.clipping=e.clipping,this.extensions=Object.assign({},e.extensions),this.glslVersion=e.glslVersion,this}toJSON(e){const t=super.toJSON(e);t.glslVersion=this.glslVersion,t.uniforms={};for(const s in this.uniforms){const o=this.uniforms[s].value;o&&o.isTexture?t.uniforms[s]={type:"t",value:o.toJSON(e).uuid}:o&&o.isColor?t.uniforms[s]={type:"c",value:o.getHex()}:o&&o.isVector2?t.uniforms[s]={type:"v2",value:o.toArray()}:o&&o.isVector3?t.uniforms[s]={type:"v3",value:o.toArray()}:o&&o.isVector4?t.uniforms[s]={type:"v4",value:o.toArray()}:o&&o.isMatrix3?t.uniforms[s]={type:"m3",value:o.toArray()}:o&&o.isMatrix4?t.uniforms[s]={type:"m4",value:o.toArray()}:t.uniforms[s]={value:o}}Object.keys(this.defines).length>0&&(t.defines=this.defines),t.vertexShader=this.vertexShader,t.fragmentShader=this.fragmentShader,t.lights=this.lights,t.clipping=this.clipping;const n={};for(const s in this.extensions)this.extensions[s]===!0&&(n[s]=!0);return Object.keys(n).length>0&&(t.extensions=n),t}}class sd extends Bn{constructor(){super(),this.isCamera=!0,this.type="Camera",this.matrixWorldInverse=new Bt,this.projectionMatrix=new Bt,this.projectionMatrixInverse=new Bt,this.coordinateSystem=Ui}copy(e,t){return super.copy(e,t),this.matrixWorldInverse.copy(e.matrixWorldInverse),this.projectionMatrix.copy(e.projectionMatrix),this.projectionMatrixInverse.copy(e.projectionMatrixInverse),this.coordinateSystem=e.coordinateSystem,this}getWorldDirection(e){return super.getWorldDirection(e).negate()}updateMatrixWorld(e){super.updateMatrixWorld(e),this.matrixWorldInverse.copy(this.matrixWorld).invert()}updateWorldMatrix(e,t){super.updateWorldMatrix(e,t),this.matrixWorldInverse.copy(this.matrixWorld).invert()}clone(){return new this.constructor().copy(this)}}const ji=new $,qu=new ze,ju=new ze;class jn extends sd{constructor(e=50,t=1,n=.1,s=2e3){super(),this.isPerspectiveCamera=!0,this.type="PerspectiveCamera",this.fov=e,this.zoom=1,this.near=n,this.far=s,this.focus=10,this.aspect=t,this.view=null,this.filmGauge=35,this.filmOffset=0,this.updateProjectionMatrix()}copy(e,t){return super.copy(e,t),this.fov=e.fov,this.zoom=e.zoom,this.near=e.near,this.far=e.far,this.focus=e.focus,this.aspect=e.aspect,this.view=e.view===null?null:Object.assign({},e.view),this.filmGauge=e.filmGauge,this.filmOffset=e.filmOffset,this}setFocalLength(e){const t=.5*this.getFilmHeight()/e;this.fov=zl*2*Math.atan(t),this.updateProjectionMatrix()}getFocalLength(){const e=Math.tan(Wo*.5*this.fov);return .5*this.getFilmHeight()/e}getEffectiveFOV(){return zl*2*Math.atan(Math.tan(Wo*.5*this.fov)/this.zoom)}getFilmWidth(){return this.filmGauge*Math.min(this.aspect,1)}getFilmHeight(){return this.filmGauge/Math.max(this.aspect,1)}getViewBounds(e,t,n){ji.set(-1,-1,.5).applyMatrix4(this.projectionMatrixInverse),t.set(ji.x,ji.y).multiplyScalar(-e/ji.z),ji.set(1,1,.5).applyMatrix4(this.projectionMatrixInverse),n.set(ji.x,ji.y).multiplyScalar(-e/ji.z)}getViewSize(e,t){return this.getViewBounds(e,qu,ju),t.subVectors(ju,qu)}setViewOffset(e,t,n,s,r,o){this.aspect=e/t,this.view===null&&(this.view={enabled:!0,fullWidth:1,fullHeight:1,offsetX:0,offsetY:0,width:1,height:1}),this.view.enabled=!0,this.view.fullWidth=e,this.view.fullHeight=t,this.view.offsetX=n,this.view.offsetY=s,this.view.width=r,this.view.height=o,this.updateProjectionMatrix()}clearViewOffset(){this.view!==null&&(this.view.enabled=!1),this.updateProjectionMatrix()}updateProjectionMatrix(){const e=this.near;let t=e*Math.tan(Wo*.5*this.fov)/this.zoom,n=2*t,s=this.aspect*n,r=-.5*s;const o=this.view;if(this.view!==null&&this.view.enabled){const l=o.fullWidth,c=o.fullHeight;r+=o.offsetX*s/l,t-=o.offsetY*n/c,s*=o.width/l,n*=o.height/c}const a=this.filmOffset;a!==0&&(r+=e*a/this.getFilmWidth()),this.projectionMatrix.makePerspective(r,r+s,t,t-n,e,this.far,this.coordinateSystem),this.projectionMatrixInverse.copy(this.projectionMatrix).invert()}toJSON(e){const t=super.toJSON(e);return t.object.fov=this.fov,t.object.zoom=this.zoom,t.object.near=this.near,t.object.far=this.far,t.object.focus=this.focus,t.object.aspect=this.aspect,this.view!==null&&(t.object.view=Object.assign({},this.view)),t.object.filmGauge=this.filmGauge,t.object.filmOffset=this.filmOffset,t}}const rr=-90,or=1;class Sg extends Bn{constructor(e,t,n){super(),this.type="CubeCamera",this.renderTarget=n,this.coordinateSystem=null,this.activeMipmapLevel=0;const s=new jn(rr,or,e,t);s.layers=this.layers,this.add(s);const r=new jn(rr,or,e,t);r.layers=this.layers,this.add(r);const o=new jn(rr,or,e,t);o.layers=this.layers,this.add(o);const a=new jn(rr,or,e,t);a.layers=this.layers,this.add(a);const l=new jn(rr,or,e,t);l.layers=this.layers,this.add(l);const c=new jn(rr,or,e,t);c.layers=this.layers,this.add(c)}updateCoordinateSystem(){const e=this.coordinateSystem,t=this.children.concat(),[n,s,r,o,a,l]=t;for(const c of t)this.remove(c);if(e===Ui)n.up.set(0,1,0),n.lookAt(1,0,0),s.up.set(0,1,0),s.lookAt(-1,0,0),r.up.set(0,0,-1),r.lookAt(0,1,0),o.up.set(0,0,1),o.lookAt(0,-1,0),a.up.set(0,1,0),a.lookAt(0,0,1),l.up.set(0,1,0),l.lookAt(0,0,-1);else if(e===ea)n.up.set(0,-1,0),n.lookAt(-1,0,0),s.up.set(0,-1,0),s.lookAt(1,0,0),r.up.set(0,0,1),r.lookAt(0,1,0),o.up.set(0,0,-1),o.lookAt(0,-1,0),a.up.set(0,-1,0),a.lookAt(0,0,1),l.up.set(0,-1,0),l.lookAt(0,0,-1);else throw new Error("THREE.CubeCamera.updateCoordinateSystem(): Invalid coordinate system: "+e);for(const c of t)this.add(c),c.updateMatrixWorld()}update(e,t){this.parent===null&&this.updateMatrixWorld();const{renderTarget:n,activeMipmapLevel:s}=this;this.coordinateSystem!==e.coordinateSystem&&(this.coordinateSystem=e.coordinateSystem,this.updateCoordinateSystem());const[r,o,a,l,c,u]=this.children,h=e.getRenderTarget(),f=e.getActiveCubeFace(),m=e.getActiveMipmapLevel(),_=e.xr.enabled;e.xr.enabled=!1;const v=n.texture.generateMipmaps;n.texture.generateMipmaps=!1,e.setRenderTarget(n,0,s),e.render(t,r),e.setRenderTarget(n,1,s),e.render(t,o),e.setRenderTarget(n,2,s),e.render(t,a),e.setRenderTarget(n,3,s),e.render(t,l),e.setRenderTarget(n,4,s),e.render(t,c),n.texture.generateMipmaps=v,e.setRenderTarget(n,5,s),e.render(t,u),e.setRenderTarget(h,f,m),e.xr.enabled=_,n.texture.needsPMREMUpdate=!0}}class rd extends yn{constructor(e,t,n,s,r,o,a,l,c,u){e=e!==void 0?e:[],t=t!==void 0?t:_r,super(e,t,n,s,r,o,a,l,c,u),this.isCubeTexture=!0,this.flipY=!1}get images(){return this.image}set images(e){this.image=e}}class yg extends Ts{constructor(e=1,t={}){super(e,e,t),this.isWebGLCubeRenderTarget=!0;const n={width:e,height:e,depth:1},s=[n,n,n,n,n,n];this.texture=new rd(s,t.mapping,t.wrapS,t.wrapT,t.magFilter,t.minFilter,t.format,t.type,t.anisotropy,t.colorSpace),this.texture.isRenderTargetTexture=!0,this.texture.generateMipmaps=t.generateMipmaps!==void 0?t.generateMipmaps:!1,this.texture.minFilter=t.minFilter!==void 0?t.minFilter:li}fromEquirectangularTexture(e,t){this.texture.type=t.type,this.texture.colorSpace=t.colorSpace,this.texture.generateMipmaps=t.generateMipmaps,this.texture.minFilter=t.minFilter,this.texture.magFilter=t.magFilter;const n={uniforms:{tEquirect:{value:null}},vertexShader:`

				varying vec3 vWorldDirection;

				vec3 transformDirection( in vec3 dir, in mat4 matrix ) {

					return normalize( ( matrix * vec4( dir, 0.0 ) ).xyz );

				}

				void main() {

					vWorldDirection = transformDirection( position, modelMatrix );

					#include <begin_vertex>
					#include <project_vertex>

				}
			`,fragmentShader:`

				uniform sampler2D tEquirect;

				varying vec3 vWorldDirection;

				#include <common>

				void main() {

					vec3 direction = normalize( vWorldDirection );

					vec2 sampleUV = equirectUv( direction );

					gl_FragColor = texture2D( tEquirect, sampleUV );

				}
			`},s=new oo(5,5,5),r=new yi({name:"CubemapFromEquirect",uniforms:Mr(n.uniforms),vertexShader:n.vertexShader,fragmentShader:n.fragmentShader,side:Pn,blending:es});r.uniforms.tEquirect.value=t;const o=new Rn(s,r),a=t.minFilter;return t.minFilter===Es&&(t.minFilter=li),new Sg(1,10,this).update(e,o),t.minFilter=a,o.geometry.dispose(),o.material.dispose(),this}clear(e,t,n,s){const r=e.getRenderTarget();for(let o=0;o<6;o++)e.setRenderTarget(this,o),e.clear(t,n,s);e.setRenderTarget(r)}}const ul=new $,Eg=new $,bg=new rt;class Ki{constructor(e=new $(1,0,0),t=0){this.isPlane=!0,this.normal=e,this.constant=t}set(e,t){return this.normal.copy(e),this.constant=t,this}setComponents(e,t,n,s){return this.normal.set(e,t,n),this.constant=s,this}setFromNormalAndCoplanarPoint(e,t){return this.normal.copy(e),this.constant=-t.dot(this.normal),this}setFromCoplanarPoints(e,t,n){const s=ul.subVectors(n,t).cross(Eg.subVectors(e,t)).normalize();return this.setFromNormalAndCoplanarPoint(s,e),this}copy(e){return this.normal.copy(e.normal),this.constant=e.constant,this}normalize(){const e=1/this.normal.length();return this.normal.multiplyScalar(e),this.constant*=e,this}negate(){return this.constant*=-1,this.normal.negate(),this}distanceToPoint(e){return this.normal.dot(e)+this.constant}distanceToSphere(e){return this.distanceToPoint(e.center)-e.radius}projectPoint(e,t){return t.copy(e).addScaledVector(this.normal,-this.distanceToPoint(e))}intersectLine(e,t){const n=e.delta(ul),s=this.normal.dot(n);if(s===0)return this.distanceToPoint(e.start)===0?t.copy(e.start):null;const r=-(e.start.dot(this.normal)+this.constant)/s;return r<0||r>1?null:t.copy(e.start).addScaledVector(n,r)}intersectsLine(e){const t=this.distanceToPoint(e.start),n=this.distanceToPoint(e.end);return t<0&&n>0||n<0&&t>0}intersectsBox(e){return e.intersectsPlane(this)}intersectsSphere(e){return e.intersectsPlane(this)}coplanarPoint(e){return e.copy(this.normal).multiplyScalar(-this.constant)}applyMatrix4(e,t){const n=t||bg.getNormalMatrix(e),s=this.coplanarPoint(ul).applyMatrix4(e),r=this.normal.applyMatrix3(n).normalize();return this.constant=-s.dot(r),this}translate(e){return this.constant-=e.dot(this.normal),this}equals(e){return e.normal.equals(this.normal)&&e.constant===this.constant}clone(){return new this.constructor().copy(this)}}const hs=new sc,Io=new $;class od{constructor(e=new Ki,t=new Ki,n=new Ki,s=new Ki,r=new Ki,o=new Ki){this.planes=[e,t,n,s,r,o]}set(e,t,n,s,r,o){const a=this.planes;return a[0].copy(e),a[1].copy(t),a[2].copy(n),a[3].copy(s),a[4].copy(r),a[5].copy(o),this}copy(e){const t=this.planes;for(let n=0;n<6;n++)t[n].copy(e.planes[n]);return this}setFromProjectionMatrix(e,t=Ui){const n=this.planes,s=e.elements,r=s[0],o=s[1],a=s[2],l=s[3],c=s[4],u=s[5],h=s[6],f=s[7],m=s[8],_=s[9],v=s[10],p=s[11],d=s[12],y=s[13],x=s[14],b=s[15];if(n[0].setComponents(l-r,f-c,p-m,b-d).normalize(),n[1].setComponents(l+r,f+c,p+m,b+d).normalize(),n[2].setComponents(l+o,f+u,p+_,b+y).normalize(),n[3].setComponents(l-o,f-u,p-_,b-y).normalize(),n[4].setComponents(l-a,f-h,p-v,b-x).normalize(),t===Ui)n[5].setComponents(l+a,f+h,p+v,b+x).normalize();else if(t===ea)n[5].setComponents(a,h,v,x).normalize();else throw new Error("THREE.Frustum.setFromProjectionMatrix(): Invalid coordinate system: "+t);return this}intersectsObject(e){if(e.boundingSphere!==void 0)e.boundingSphere===null&&e.computeBoundingSphere(),hs.copy(e.boundingSphere).applyMatrix4(e.matrixWorld);else{const t=e.geometry;t.boundingSphere===null&&t.computeBoundingSphere(),hs.copy(t.boundingSphere).applyMatrix4(e.matrixWorld)}return this.intersectsSphere(hs)}intersectsSprite(e){return hs.center.set(0,0,0),hs.radius=.7071067811865476,hs.applyMatrix4(e.matrixWorld),this.intersectsSphere(hs)}intersectsSphere(e){const t=this.planes,n=e.center,s=-e.radius;for(let r=0;r<6;r++)if(t[r].distanceToPoint(n)<s)return!1;return!0}intersectsBox(e){const t=this.planes;for(let n=0;n<6;n++){const s=t[n];if(Io.x=s.normal.x>0?e.max.x:e.min.x,Io.y=s.normal.y>0?e.max.y:e.min.y,Io.z=s.normal.z>0?e.max.z:e.min.z,s.distanceToPoint(Io)<0)return!1}return!0}containsPoint(e){const t=this.planes;for(let n=0;n<6;n++)if(t[n].distanceToPoint(e)<0)return!1;return!0}clone(){return new this.constructor().copy(this)}}function ad(){let i=null,e=!1,t=null,n=null;function s(r,o){t(r,o),n=i.requestAnimationFrame(s)}return{start:function(){e!==!0&&t!==null&&(n=i.requestAnimationFrame(s),e=!0)},stop:function(){i.cancelAnimationFrame(n),e=!1},setAnimationLoop:function(r){t=r},setContext:function(r){i=r}}}function wg(i){const e=new WeakMap;function t(a,l){const c=a.array,u=a.usage,h=c.byteLength,f=i.createBuffer();i.bindBuffer(l,f),i.bufferData(l,c,u),a.onUploadCallback();let m;if(c instanceof Float32Array)m=i.FLOAT;else if(c instanceof Uint16Array)a.isFloat16BufferAttribute?m=i.HALF_FLOAT:m=i.UNSIGNED_SHORT;else if(c instanceof Int16Array)m=i.SHORT;else if(c instanceof Uint32Array)m=i.UNSIGNED_INT;else if(c instanceof Int32Array)m=i.INT;else if(c instanceof Int8Array)m=i.BYTE;else if(c instanceof Uint8Array)m=i.UNSIGNED_BYTE;else if(c instanceof Uint8ClampedArray)m=i.UNSIGNED_BYTE;else throw new Error("THREE.WebGLAttributes: Unsupported buffer data format: "+c);return{buffer:f,type:m,bytesPerElement:c.BYTES_PER_ELEMENT,version:a.version,size:h}}function n(a,l,c){const u=l.array,h=l._updateRange,f=l.updateRanges;if(i.bindBuffer(c,a),h.count===-1&&f.length===0&&i.bufferSubData(c,0,u),f.length!==0){for(let m=0,_=f.length;m<_;m++){const v=f[m];i.bufferSubData(c,v.start*u.BYTES_PER_ELEMENT,u,v.start,v.count)}l.clearUpdateRanges()}h.count!==-1&&(i.bufferSubData(c,h.offset*u.BYTES_PER_ELEMENT,u,h.offset,h.count),h.count=-1),l.onUploadCallback()}function s(a){return a.isInterleavedBufferAttribute&&(a=a.data),e.get(a)}function r(a){a.isInterleavedBufferAttribute&&(a=a.data);const l=e.get(a);l&&(i.deleteBuffer(l.buffer),e.delete(a))}function o(a,l){if(a.isGLBufferAttribute){const u=e.get(a);(!u||u.version<a.version)&&e.set(a,{buffer:a.buffer,type:a.type,bytesPerElement:a.elementSize,version:a.version});return}a.isInterleavedBufferAttribute&&(a=a.data);const c=e.get(a);if(c===void 0)e.set(a,t(a,l));else if(c.version<a.version){if(c.size!==a.array.byteLength)throw new Error("THREE.WebGLAttributes: The size of the buffer attribute's array buffer does not match the original size. Resizing buffer attributes is not supported.");n(c.buffer,a,l),c.version=a.version}}return{get:s,remove:r,update:o}}class fa extends ui{constructor(e=1,t=1,n=1,s=1){super(),this.type="PlaneGeometry",this.parameters={width:e,height:t,widthSegments:n,heightSegments:s};const r=e/2,o=t/2,a=Math.floor(n),l=Math.floor(s),c=a+1,u=l+1,h=e/a,f=t/l,m=[],_=[],v=[],p=[];for(let d=0;d<u;d++){const y=d*f-o;for(let x=0;x<c;x++){const b=x*h-r;_.push(b,-y,0),v.push(0,0,1),p.push(x/a),p.push(1-d/l)}}for(let d=0;d<l;d++)for(let y=0;y<a;y++){const x=y+c*d,b=y+c*(d+1),H=y+1+c*(d+1),T=y+1+c*d;m.push(x,b,T),m.push(b,H,T)}this.setIndex(m),this.setAttribute("position",new zn(_,3)),this.setAttribute("normal",new zn(v,3)),this.setAttribute("uv",new zn(p,2))}copy(e){return super.copy(e),this.parameters=Object.assign({},e.parameters),this}static fromJSON(e){return new fa(e.width,e.height,e.widthSegments,e.heightSegments)}}var Tg=`#ifdef USE_ALPHAHASH
	if ( diffuseColor.a < getAlphaHashThreshold( vPosition ) ) discard;
#endif`,Ag=`#ifdef USE_ALPHAHASH
	const float ALPHA_HASH_SCALE = 0.05;
	float hash2D( vec2 value ) {
		return fract( 1.0e4 * sin( 17.0 * value.x + 0.1 * value.y ) * ( 0.1 + abs( sin( 13.0 * value.y + value.x ) ) ) );
	}
	float hash3D( vec3 value ) {
		return hash2D( vec2( hash2D( value.xy ), value.z ) );
	}
	float getAlphaHashThreshold( vec3 position ) {
		float maxDeriv = max(
			length( dFdx( position.xyz ) ),
			length( dFdy( position.xyz ) )
		);
		float pixScale = 1.0 / ( ALPHA_HASH_SCALE * maxDeriv );
		vec2 pixScales = vec2(
			exp2( floor( log2( pixScale ) ) ),
			exp2( ceil( log2( pixScale ) ) )
		);
		vec2 alpha = vec2(
			hash3D( floor( pixScales.x * position.xyz ) ),
			hash3D( floor( pixScales.y * position.xyz ) )
		);
		float lerpFactor = fract( log2( pixScale ) );
		float x = ( 1.0 - lerpFactor ) * alpha.x + lerpFactor * alpha.y;
		float a = min( lerpFactor, 1.0 - lerpFactor );
		vec3 cases = vec3(
			x * x / ( 2.0 * a * ( 1.0 - a ) ),
			( x - 0.5 * a ) / ( 1.0 - a ),
			1.0 - ( ( 1.0 - x ) * ( 1.0 - x ) / ( 2.0 * a * ( 1.0 - a ) ) )
		);
		float threshold = ( x < ( 1.0 - a ) )
			? ( ( x < a ) ? cases.x : cases.y )
			: cases.z;
		return clamp( threshold , 1.0e-6, 1.0 );
	}
#endif`,Rg=`#ifdef USE_ALPHAMAP
	diffuseColor.a *= texture2D( alphaMap, vAlphaMapUv ).g;
#endif`,Cg=`#ifdef USE_ALPHAMAP
	uniform sampler2D alphaMap;
#endif`,Pg=`#ifdef USE_ALPHATEST
	#ifdef ALPHA_TO_COVERAGE
	diffuseColor.a = smoothstep( alphaTest, alphaTest + fwidth( diffuseColor.a ), diffuseColor.a );
	if ( diffuseColor.a == 0.0 ) discard;
	#else
	if ( diffuseColor.a < alphaTest ) discard;
	#endif
#endif`,Lg=`#ifdef USE_ALPHATEST
	uniform float alphaTest;
#endif`,Dg=`#ifdef USE_AOMAP
	float ambientOcclusion = ( texture2D( aoMap, vAoMapUv ).r - 1.0 ) * aoMapIntensity + 1.0;
	reflectedLight.indirectDiffuse *= ambientOcclusion;
	#if defined( USE_CLEARCOAT ) 
		clearcoatSpecularIndirect *= ambientOcclusion;
	#endif
	#if defined( USE_SHEEN ) 
		sheenSpecularIndirect *= ambientOcclusion;
	#endif
	#if defined( USE_ENVMAP ) && defined( STANDARD )
		float dotNV = saturate( dot( geometryNormal, geometryViewDir ) );
		reflectedLight.indirectSpecular *= computeSpecularOcclusion( dotNV, ambientOcclusion, material.roughness );
	#endif
#endif`,Ug=`#ifdef USE_AOMAP
	uniform sampler2D aoMap;
	uniform float aoMapIntensity;
#endif`,Ig=`#ifdef USE_BATCHING
	attribute float batchId;
	uniform highp sampler2D batchingTexture;
	mat4 getBatchingMatrix( const in float i ) {
		int size = textureSize( batchingTexture, 0 ).x;
		int j = int( i ) * 4;
		int x = j % size;
		int y = j / size;
		vec4 v1 = texelFetch( batchingTexture, ivec2( x, y ), 0 );
		vec4 v2 = texelFetch( batchingTexture, ivec2( x + 1, y ), 0 );
		vec4 v3 = texelFetch( batchingTexture, ivec2( x + 2, y ), 0 );
		vec4 v4 = texelFetch( batchingTexture, ivec2( x + 3, y ), 0 );
		return mat4( v1, v2, v3, v4 );
	}
#endif`,Ng=`#ifdef USE_BATCHING
	mat4 batchingMatrix = getBatchingMatrix( batchId );
#endif`,Og=`vec3 transformed = vec3( position );
#ifdef USE_ALPHAHASH
	vPosition = vec3( position );
#endif`,Fg=`vec3 objectNormal = vec3( normal );
#ifdef USE_TANGENT
	vec3 objectTangent = vec3( tangent.xyz );
#endif`,kg=`float G_BlinnPhong_Implicit( ) {
	return 0.25;
}
float D_BlinnPhong( const in float shininess, const in float dotNH ) {
	return RECIPROCAL_PI * ( shininess * 0.5 + 1.0 ) * pow( dotNH, shininess );
}
vec3 BRDF_BlinnPhong( const in vec3 lightDir, const in vec3 viewDir, const in vec3 normal, const in vec3 specularColor, const in float shininess ) {
	vec3 halfDir = normalize( lightDir + viewDir );
	float dotNH = saturate( dot( normal, halfDir ) );
	float dotVH = saturate( dot( viewDir, halfDir ) );
	vec3 F = F_Schlick( specularColor, 1.0, dotVH );
	float G = G_BlinnPhong_Implicit( );
	float D = D_BlinnPhong( shininess, dotNH );
	return F * ( G * D );
} // validated`,Bg=`#ifdef USE_IRIDESCENCE
	const mat3 XYZ_TO_REC709 = mat3(
		 3.2404542, -0.9692660,  0.0556434,
		-1.5371385,  1.8760108, -0.2040259,
		-0.4985314,  0.0415560,  1.0572252
	);
	vec3 Fresnel0ToIor( vec3 fresnel0 ) {
		vec3 sqrtF0 = sqrt( fresnel0 );
		return ( vec3( 1.0 ) + sqrtF0 ) / ( vec3( 1.0 ) - sqrtF0 );
	}
	vec3 IorToFresnel0( vec3 transmittedIor, float incidentIor ) {
		return pow2( ( transmittedIor - vec3( incidentIor ) ) / ( transmittedIor + vec3( incidentIor ) ) );
	}
	float IorToFresnel0( float transmittedIor, float incidentIor ) {
		return pow2( ( transmittedIor - incidentIor ) / ( transmittedIor + incidentIor ));
	}
	vec3 evalSensitivity( float OPD, vec3 shift ) {
		float phase = 2.0 * PI * OPD * 1.0e-9;
		vec3 val = vec3( 5.4856e-13, 4.4201e-13, 5.2481e-13 );
		vec3 pos = vec3( 1.6810e+06, 1.7953e+06, 2.2084e+06 );
		vec3 var = vec3( 4.3278e+09, 9.3046e+09, 6.6121e+09 );
		vec3 xyz = val * sqrt( 2.0 * PI * var ) * cos( pos * phase + shift ) * exp( - pow2( phase ) * var );
		xyz.x += 9.7470e-14 * sqrt( 2.0 * PI * 4.5282e+09 ) * cos( 2.2399e+06 * phase + shift[ 0 ] ) * exp( - 4.5282e+09 * pow2( phase ) );
		xyz /= 1.0685e-7;
		vec3 rgb = XYZ_TO_REC709 * xyz;
		return rgb;
	}
	vec3 evalIridescence( float outsideIOR, float eta2, float cosTheta1, float thinFilmThickness, vec3 baseF0 ) {
		vec3 I;
		float iridescenceIOR = mix( outsideIOR, eta2, smoothstep( 0.0, 0.03, thinFilmThickness ) );
		float sinTheta2Sq = pow2( outsideIOR / iridescenceIOR ) * ( 1.0 - pow2( cosTheta1 ) );
		float cosTheta2Sq = 1.0 - sinTheta2Sq;
		if ( cosTheta2Sq < 0.0 ) {
			return vec3( 1.0 );
		}
		float cosTheta2 = sqrt( cosTheta2Sq );
		float R0 = IorToFresnel0( iridescenceIOR, outsideIOR );
		float R12 = F_Schlick( R0, 1.0, cosTheta1 );
		float T121 = 1.0 - R12;
		float phi12 = 0.0;
		if ( iridescenceIOR < outsideIOR ) phi12 = PI;
		float phi21 = PI - phi12;
		vec3 baseIOR = Fresnel0ToIor( clamp( baseF0, 0.0, 0.9999 ) );		vec3 R1 = IorToFresnel0( baseIOR, iridescenceIOR );
		vec3 R23 = F_Schlick( R1, 1.0, cosTheta2 );
		vec3 phi23 = vec3( 0.0 );
		if ( baseIOR[ 0 ] < iridescenceIOR ) phi23[ 0 ] = PI;
		if ( baseIOR[ 1 ] < iridescenceIOR ) phi23[ 1 ] = PI;
		if ( baseIOR[ 2 ] < iridescenceIOR ) phi23[ 2 ] = PI;
		float OPD = 2.0 * iridescenceIOR * thinFilmThickness * cosTheta2;
		vec3 phi = vec3( phi21 ) + phi23;
		vec3 R123 = clamp( R12 * R23, 1e-5, 0.9999 );
		vec3 r123 = sqrt( R123 );
		vec3 Rs = pow2( T121 ) * R23 / ( vec3( 1.0 ) - R123 );
		vec3 C0 = R12 + Rs;
		I = C0;
		vec3 Cm = Rs - T121;
		for ( int m = 1; m <= 2; ++ m ) {
			Cm *= r123;
			vec3 Sm = 2.0 * evalSensitivity( float( m ) * OPD, float( m ) * phi );
			I += Cm * Sm;
		}
		return max( I, vec3( 0.0 ) );
	}
#endif`,zg=`#ifdef USE_BUMPMAP
	uniform sampler2D bumpMap;
	uniform float bumpScale;
	vec2 dHdxy_fwd() {
		vec2 dSTdx = dFdx( vBumpMapUv );
		vec2 dSTdy = dFdy( vBumpMapUv );
		float Hll = bumpScale * texture2D( bumpMap, vBumpMapUv ).x;
		float dBx = bumpScale * texture2D( bumpMap, vBumpMapUv + dSTdx ).x - Hll;
		float dBy = bumpScale * texture2D( bumpMap, vBumpMapUv + dSTdy ).x - Hll;
		return vec2( dBx, dBy );
	}
	vec3 perturbNormalArb( vec3 surf_pos, vec3 surf_norm, vec2 dHdxy, float faceDirection ) {
		vec3 vSigmaX = normalize( dFdx( surf_pos.xyz ) );
		vec3 vSigmaY = normalize( dFdy( surf_pos.xyz ) );
		vec3 vN = surf_norm;
		vec3 R1 = cross( vSigmaY, vN );
		vec3 R2 = cross( vN, vSigmaX );
		float fDet = dot( vSigmaX, R1 ) * faceDirection;
		vec3 vGrad = sign( fDet ) * ( dHdxy.x * R1 + dHdxy.y * R2 );
		return normalize( abs( fDet ) * surf_norm - vGrad );
	}
#endif`,Hg=`#if NUM_CLIPPING_PLANES > 0
	vec4 plane;
	#ifdef ALPHA_TO_COVERAGE
		float distanceToPlane, distanceGradient;
		float clipOpacity = 1.0;
		#pragma unroll_loop_start
		for ( int i = 0; i < UNION_CLIPPING_PLANES; i ++ ) {
			plane = clippingPlanes[ i ];
			distanceToPlane = - dot( vClipPosition, plane.xyz ) + plane.w;
			distanceGradient = fwidth( distanceToPlane ) / 2.0;
			clipOpacity *= smoothstep( - distanceGradient, distanceGradient, distanceToPlane );
			if ( clipOpacity == 0.0 ) discard;
		}
		#pragma unroll_loop_end
		#if UNION_CLIPPING_PLANES < NUM_CLIPPING_PLANES
			float unionClipOpacity = 1.0;
			#pragma unroll_loop_start
			for ( int i = UNION_CLIPPING_PLANES; i < NUM_CLIPPING_PLANES; i ++ ) {
				plane = clippingPlanes[ i ];
				distanceToPlane = - dot( vClipPosition, plane.xyz ) + plane.w;
				distanceGradient = fwidth( distanceToPlane ) / 2.0;
				unionClipOpacity *= 1.0 - smoothstep( - distanceGradient, distanceGradient, distanceToPlane );
			}
			#pragma unroll_loop_end
			clipOpacity *= 1.0 - unionClipOpacity;
		#endif
		diffuseColor.a *= clipOpacity;
		if ( diffuseColor.a == 0.0 ) discard;
	#else
		#pragma unroll_loop_start
		for ( int i = 0; i < UNION_CLIPPING_PLANES; i ++ ) {
			plane = clippingPlanes[ i ];
			if ( dot( vClipPosition, plane.xyz ) > plane.w ) discard;
		}
		#pragma unroll_loop_end
		#if UNION_CLIPPING_PLANES < NUM_CLIPPING_PLANES
			bool clipped = true;
			#pragma unroll_loop_start
			for ( int i = UNION_CLIPPING_PLANES; i < NUM_CLIPPING_PLANES; i ++ ) {
				plane = clippingPlanes[ i ];
				clipped = ( dot( vClipPosition, plane.xyz ) > plane.w ) && clipped;
			}
			#pragma unroll_loop_end
			if ( clipped ) discard;
		#endif
	#endif
#endif`,Vg=`#if NUM_CLIPPING_PLANES > 0
	varying vec3 vClipPosition;
	uniform vec4 clippingPlanes[ NUM_CLIPPING_PLANES ];
#endif`,Gg=`#if NUM_CLIPPING_PLANES > 0
	varying vec3 vClipPosition;
#endif`,Wg=`#if NUM_CLIPPING_PLANES > 0
	vClipPosition = - mvPosition.xyz;
#endif`,Xg=`#if defined( USE_COLOR_ALPHA )
	diffuseColor *= vColor;
#elif defined( USE_COLOR )
	diffuseColor.rgb *= vColor;
#endif`,$g=`#if defined( USE_COLOR_ALPHA )
	varying vec4 vColor;
#elif defined( USE_COLOR )
	varying vec3 vColor;
#endif`,Yg=`#if defined( USE_COLOR_ALPHA )
	varying vec4 vColor;
#elif defined( USE_COLOR ) || defined( USE_INSTANCING_COLOR )
	varying vec3 vColor;
#endif`,qg=`#if defined( USE_COLOR_ALPHA )
	vColor = vec4( 1.0 );
#elif defined( USE_COLOR ) || defined( USE_INSTANCING_COLOR )
	vColor = vec3( 1.0 );
#endif
#ifdef USE_COLOR
	vColor *= color;
#endif
#ifdef USE_INSTANCING_COLOR
	vColor.xyz *= instanceColor.xyz;
#endif`,jg=`#define PI 3.141592653589793
#define PI2 6.283185307179586
#define PI_HALF 1.5707963267948966
#define RECIPROCAL_PI 0.3183098861837907
#define RECIPROCAL_PI2 0.15915494309189535
#define EPSILON 1e-6
#ifndef saturate
#define saturate( a ) clamp( a, 0.0, 1.0 )
#endif
#define whiteComplement( a ) ( 1.0 - saturate( a ) )
float pow2( const in float x ) { return x*x; }
vec3 pow2( const in vec3 x ) { return x*x; }
float pow3( const in float x ) { return x*x*x; }
float pow4( const in float x ) { float x2 = x*x; return x2*x2; }
float max3( const in vec3 v ) { return max( max( v.x, v.y ), v.z ); }
float average( const in vec3 v ) { return dot( v, vec3( 0.3333333 ) ); }
highp float rand( const in vec2 uv ) {
	const highp float a = 12.9898, b = 78.233, c = 43758.5453;
	highp float dt = dot( uv.xy, vec2( a,b ) ), sn = mod( dt, PI );
	return fract( sin( sn ) * c );
}
#ifdef HIGH_PRECISION
	float precisionSafeLength( vec3 v ) { return length( v ); }
#else
	float precisionSafeLength( vec3 v ) {
		float maxComponent = max3( abs( v ) );
		return length( v / maxComponent ) * maxComponent;
	}
#endif
struct IncidentLight {
	vec3 color;
	vec3 direction;
	bool visible;
};
struct ReflectedLight {
	vec3 directDiffuse;
	vec3 directSpecular;
	vec3 indirectDiffuse;
	vec3 indirectSpecular;
};
#ifdef USE_ALPHAHASH
	varying vec3 vPosition;
#endif
vec3 transformDirection( in vec3 dir, in mat4 matrix ) {
	return normalize( ( matrix * vec4( dir, 0.0 ) ).xyz );
}
vec3 inverseTransformDirection( in vec3 dir, in mat4 matrix ) {
	return normalize( ( vec4( dir, 0.0 ) * matrix ).xyz );
}
mat3 transposeMat3( const in mat3 m ) {
	mat3 tmp;
	tmp[ 0 ] = vec3( m[ 0 ].x, m[ 1 ].x, m[ 2 ].x );
	tmp[ 1 ] = vec3( m[ 0 ].y, m[ 1 ].y, m[ 2 ].y );
	tmp[ 2 ] = vec3( m[ 0 ].z, m[ 1 ].z, m[ 2 ].z );
	return tmp;
}
float luminance( const in vec3 rgb ) {
	const vec3 weights = vec3( 0.2126729, 0.7151522, 0.0721750 );
	return dot( weights, rgb );
}
bool isPerspectiveMatrix( mat4 m ) {
	return m[ 2 ][ 3 ] == - 1.0;
}
vec2 equirectUv( in vec3 dir ) {
	float u = atan( dir.z, dir.x ) * RECIPROCAL_PI2 + 0.5;
	float v = asin( clamp( dir.y, - 1.0, 1.0 ) ) * RECIPROCAL_PI + 0.5;
	return vec2( u, v );
}
vec3 BRDF_Lambert( const in vec3 diffuseColor ) {
	return RECIPROCAL_PI * diffuseColor;
}
vec3 F_Schlick( const in vec3 f0, const in float f90, const in float dotVH ) {
	float fresnel = exp2( ( - 5.55473 * dotVH - 6.98316 ) * dotVH );
	return f0 * ( 1.0 - fresnel ) + ( f90 * fresnel );
}
float F_Schlick( const in float f0, const in float f90, const in float dotVH ) {
	float fresnel = exp2( ( - 5.55473 * dotVH - 6.98316 ) * dotVH );
	return f0 * ( 1.0 - fresnel ) + ( f90 * fresnel );
} // validated`,Kg=`#ifdef ENVMAP_TYPE_CUBE_UV
	#define cubeUV_minMipLevel 4.0
	#define cubeUV_minTileSize 16.0
	float getFace( vec3 direction ) {
		vec3 absDirection = abs( direction );
		float face = - 1.0;
		if ( absDirection.x > absDirection.z ) {
			if ( absDirection.x > absDirection.y )
				face = direction.x > 0.0 ? 0.0 : 3.0;
			else
				face = direction.y > 0.0 ? 1.0 : 4.0;
		} else {
			if ( absDirection.z > absDirection.y )
				face = direction.z > 0.0 ? 2.0 : 5.0;
			else
				face = direction.y > 0.0 ? 1.0 : 4.0;
		}
		return face;
	}
	vec2 getUV( vec3 direction, float face ) {
		vec2 uv;
		if ( face == 0.0 ) {
			uv = vec2( direction.z, direction.y ) / abs( direction.x );
		} else if ( face == 1.0 ) {
			uv = vec2( - direction.x, - direction.z ) / abs( direction.y );
		} else if ( face == 2.0 ) {
			uv = vec2( - direction.x, direction.y ) / abs( direction.z );
		} else if ( face == 3.0 ) {
			uv = vec2( - direction.z, direction.y ) / abs( direction.x );
		} else if ( face == 4.0 ) {
			uv = vec2( - direction.x, direction.z ) / abs( direction.y );
		} else {
			uv = vec2( direction.x, direction.y ) / abs( direction.z );
		}
		return 0.5 * ( uv + 1.0 );
	}
	vec3 bilinearCubeUV( sampler2D envMap, vec3 direction, float mipInt ) {
		float face = getFace( direction );
		float filterInt = max( cubeUV_minMipLevel - mipInt, 0.0 );
		mipInt = max( mipInt, cubeUV_minMipLevel );
		float faceSize = exp2( mipInt );
		highp vec2 uv = getUV( direction, face ) * ( faceSize - 2.0 ) + 1.0;
		if ( face > 2.0 ) {
			uv.y += faceSize;
			face -= 3.0;
		}
		uv.x += face * faceSize;
		uv.x += filterInt * 3.0 * cubeUV_minTileSize;
		uv.y += 4.0 * ( exp2( CUBEUV_MAX_MIP ) - faceSize );
		uv.x *= CUBEUV_TEXEL_WIDTH;
		uv.y *= CUBEUV_TEXEL_HEIGHT;
		#ifdef texture2DGradEXT
			return texture2DGradEXT( envMap, uv, vec2( 0.0 ), vec2( 0.0 ) ).rgb;
		#else
			return texture2D( envMap, uv ).rgb;
		#endif
	}
	#define cubeUV_r0 1.0
	#define cubeUV_m0 - 2.0
	#define cubeUV_r1 0.8
	#define cubeUV_m1 - 1.0
	#define cubeUV_r4 0.4
	#define cubeUV_m4 2.0
	#define cubeUV_r5 0.305
	#define cubeUV_m5 3.0
	#define cubeUV_r6 0.21
	#define cubeUV_m6 4.0
	float roughnessToMip( float roughness ) {
		float mip = 0.0;
		if ( roughness >= cubeUV_r1 ) {
			mip = ( cubeUV_r0 - roughness ) * ( cubeUV_m1 - cubeUV_m0 ) / ( cubeUV_r0 - cubeUV_r1 ) + cubeUV_m0;
		} else if ( roughness >= cubeUV_r4 ) {
			mip = ( cubeUV_r1 - roughness ) * ( cubeUV_m4 - cubeUV_m1 ) / ( cubeUV_r1 - cubeUV_r4 ) + cubeUV_m1;
		} else if ( roughness >= cubeUV_r5 ) {
			mip = ( cubeUV_r4 - roughness ) * ( cubeUV_m5 - cubeUV_m4 ) / ( cubeUV_r4 - cubeUV_r5 ) + cubeUV_m4;
		} else if ( roughness >= cubeUV_r6 ) {
			mip = ( cubeUV_r5 - roughness ) * ( cubeUV_m6 - cubeUV_m5 ) / ( cubeUV_r5 - cubeUV_r6 ) + cubeUV_m5;
		} else {
			mip = - 2.0 * log2( 1.16 * roughness );		}
		return mip;
	}
	vec4 textureCubeUV( sampler2D envMap, vec3 sampleDir, float roughness ) {
		float mip = clamp( roughnessToMip( roughness ), cubeUV_m0, CUBEUV_MAX_MIP );
		float mipF = fract( mip );
		float mipInt = floor( mip );
		vec3 color0 = bilinearCubeUV( envMap, sampleDir, mipInt );
		if ( mipF == 0.0 ) {
			return vec4( color0, 1.0 );
		} else {
			vec3 color1 = bilinearCubeUV( envMap, sampleDir, mipInt + 1.0 );
			return vec4( mix( color0, color1, mipF ), 1.0 );
		}
	}
#endif`,Zg=`vec3 transformedNormal = objectNormal;
#ifdef USE_TANGENT
	vec3 transformedTangent = objectTangent;
#endif
#ifdef USE_BATCHING
	mat3 bm = mat3( batchingMatrix );
	transformedNormal /= vec3( dot( bm[ 0 ], bm[ 0 ] ), dot( bm[ 1 ], bm[ 1 ] ), dot( bm[ 2 ], bm[ 2 ] ) );
	transformedNormal = bm * transformedNormal;
	#ifdef USE_TANGENT
		transformedTangent = bm * transformedTangent;
	#endif
#endif
#ifdef USE_INSTANCING
	mat3 im = mat3( instanceMatrix );
	transformedNormal /= vec3( dot( im[ 0 ], im[ 0 ] ), dot( im[ 1 ], im[ 1 ] ), dot( im[ 2 ], im[ 2 ] ) );
	transformedNormal = im * transformedNormal;
	#ifdef USE_TANGENT
		transformedTangent = im * transformedTangent;
	#endif
#endif
transformedNormal = normalMatrix * transformedNormal;
#ifdef FLIP_SIDED
	transformedNormal = - transformedNormal;
#endif
#ifdef USE_TANGENT
	transformedTangent = ( modelViewMatrix * vec4( transformedTangent, 0.0 ) ).xyz;
	#ifdef FLIP_SIDED
		transformedTangent = - transformedTangent;
	#endif
#endif`,Jg=`#ifdef USE_DISPLACEMENTMAP
	uniform sampler2D displacementMap;
	uniform float displacementScale;
	uniform float displacementBias;
#endif`,Qg=`#ifdef USE_DISPLACEMENTMAP
	transformed += normalize( objectNormal ) * ( texture2D( displacementMap, vDisplacementMapUv ).x * displacementScale + displacementBias );
#endif`,e_=`#ifdef USE_EMISSIVEMAP
	vec4 emissiveColor = texture2D( emissiveMap, vEmissiveMapUv );
	totalEmissiveRadiance *= emissiveColor.rgb;
#endif`,t_=`#ifdef USE_EMISSIVEMAP
	uniform sampler2D emissiveMap;
#endif`,n_="gl_FragColor = linearToOutputTexel( gl_FragColor );",i_=`
const mat3 LINEAR_SRGB_TO_LINEAR_DISPLAY_P3 = mat3(
	vec3( 0.8224621, 0.177538, 0.0 ),
	vec3( 0.0331941, 0.9668058, 0.0 ),
	vec3( 0.0170827, 0.0723974, 0.9105199 )
);
const mat3 LINEAR_DISPLAY_P3_TO_LINEAR_SRGB = mat3(
	vec3( 1.2249401, - 0.2249404, 0.0 ),
	vec3( - 0.0420569, 1.0420571, 0.0 ),
	vec3( - 0.0196376, - 0.0786361, 1.0982735 )
);
vec4 LinearSRGBToLinearDisplayP3( in vec4 value ) {
	return vec4( value.rgb * LINEAR_SRGB_TO_LINEAR_DISPLAY_P3, value.a );
}
vec4 LinearDisplayP3ToLinearSRGB( in vec4 value ) {
	return vec4( value.rgb * LINEAR_DISPLAY_P3_TO_LINEAR_SRGB, value.a );
}
vec4 LinearTransferOETF( in vec4 value ) {
	return value;
}
vec4 sRGBTransferOETF( in vec4 value ) {
	return vec4( mix( pow( value.rgb, vec3( 0.41666 ) ) * 1.055 - vec3( 0.055 ), value.rgb * 12.92, vec3( lessThanEqual( value.rgb, vec3( 0.0031308 ) ) ) ), value.a );
}
vec4 LinearToLinear( in vec4 value ) {
	return value;
}
vec4 LinearTosRGB( in vec4 value ) {
	return sRGBTransferOETF( value );
}`,s_=`#ifdef USE_ENVMAP
	#ifdef ENV_WORLDPOS
		vec3 cameraToFrag;
		if ( isOrthographic ) {
			cameraToFrag = normalize( vec3( - viewMatrix[ 0 ][ 2 ], - viewMatrix[ 1 ][ 2 ], - viewMatrix[ 2 ][ 2 ] ) );
		} else {
			cameraToFrag = normalize( vWorldPosition - cameraPosition );
		}
		vec3 worldNormal = inverseTransformDirection( normal, viewMatrix );
		#ifdef ENVMAP_MODE_REFLECTION
			vec3 reflectVec = reflect( cameraToFrag, worldNormal );
		#else
			vec3 reflectVec = refract( cameraToFrag, worldNormal, refractionRatio );
		#endif
	#else
		vec3 reflectVec = vReflect;
	#endif
	#ifdef ENVMAP_TYPE_CUBE
		vec4 envColor = textureCube( envMap, envMapRotation * vec3( flipEnvMap * reflectVec.x, reflectVec.yz ) );
	#else
		vec4 envColor = vec4( 0.0 );
	#endif
	#ifdef ENVMAP_BLENDING_MULTIPLY
		outgoingLight = mix( outgoingLight, outgoingLight * envColor.xyz, specularStrength * reflectivity );
	#elif defined( ENVMAP_BLENDING_MIX )
		outgoingLight = mix( outgoingLight, envColor.xyz, specularStrength * reflectivity );
	#elif defined( ENVMAP_BLENDING_ADD )
		outgoingLight += envColor.xyz * specularStrength * reflectivity;
	#endif
#endif`,r_=`#ifdef USE_ENVMAP
	uniform float envMapIntensity;
	uniform float flipEnvMap;
	uniform mat3 envMapRotation;
	#ifdef ENVMAP_TYPE_CUBE
		uniform samplerCube envMap;
	#else
		uniform sampler2D envMap;
	#endif
	
#endif`,o_=`#ifdef USE_ENVMAP
	uniform float reflectivity;
	#if defined( USE_BUMPMAP ) || defined( USE_NORMALMAP ) || defined( PHONG ) || defined( LAMBERT )
		#define ENV_WORLDPOS
	#endif
	#ifdef ENV_WORLDPOS
		varying vec3 vWorldPosition;
		uniform float refractionRatio;
	#else
		varying vec3 vReflect;
	#endif
#endif`,a_=`#ifdef USE_ENVMAP
	#if defined( USE_BUMPMAP ) || defined( USE_NORMALMAP ) || defined( PHONG ) || defined( LAMBERT )
		#define ENV_WORLDPOS
	#endif
	#ifdef ENV_WORLDPOS
		
		varying vec3 vWorldPosition;
	#else
		varying vec3 vReflect;
		uniform float refractionRatio;
	#endif
#endif`,l_=`#ifdef USE_ENVMAP
	#ifdef ENV_WORLDPOS
		vWorldPosition = worldPosition.xyz;
	#else
		vec3 cameraToVertex;
		if ( isOrthographic ) {
			cameraToVertex = normalize( vec3( - viewMatrix[ 0 ][ 2 ], - viewMatrix[ 1 ][ 2 ], - viewMatrix[ 2 ][ 2 ] ) );
		} else {
			cameraToVertex = normalize( worldPosition.xyz - cameraPosition );
		}
		vec3 worldNormal = inverseTransformDirection( transformedNormal, viewMatrix );
		#ifdef ENVMAP_MODE_REFLECTION
			vReflect = reflect( cameraToVertex, worldNormal );
		#else
			vReflect = refract( cameraToVertex, worldNormal, refractionRatio );
		#endif
	#endif
#endif`,c_=`#ifdef USE_FOG
	vFogDepth = - mvPosition.z;
#endif`,u_=`#ifdef USE_FOG
	varying float vFogDepth;
#endif`,h_=`#ifdef USE_FOG
	#ifdef FOG_EXP2
		float fogFactor = 1.0 - exp( - fogDensity * fogDensity * vFogDepth * vFogDepth );
	#else
		float fogFactor = smoothstep( fogNear, fogFar, vFogDepth );
	#endif
	gl_FragColor.rgb = mix( gl_FragColor.rgb, fogColor, fogFactor );
#endif`,f_=`#ifdef USE_FOG
	uniform vec3 fogColor;
	varying float vFogDepth;
	#ifdef FOG_EXP2
		uniform float fogDensity;
	#else
		uniform float fogNear;
		uniform float fogFar;
	#endif
#endif`,d_=`#ifdef USE_GRADIENTMAP
	uniform sampler2D gradientMap;
#endif
vec3 getGradientIrradiance( vec3 normal, vec3 lightDirection ) {
	float dotNL = dot( normal, lightDirection );
	vec2 coord = vec2( dotNL * 0.5 + 0.5, 0.0 );
	#ifdef USE_GRADIENTMAP
		return vec3( texture2D( gradientMap, coord ).r );
	#else
		vec2 fw = fwidth( coord ) * 0.5;
		return mix( vec3( 0.7 ), vec3( 1.0 ), smoothstep( 0.7 - fw.x, 0.7 + fw.x, coord.x ) );
	#endif
}`,p_=`#ifdef USE_LIGHTMAP
	uniform sampler2D lightMap;
	uniform float lightMapIntensity;
#endif`,m_=`LambertMaterial material;
material.diffuseColor = diffuseColor.rgb;
material.specularStrength = specularStrength;`,g_=`varying vec3 vViewPosition;
struct LambertMaterial {
	vec3 diffuseColor;
	float specularStrength;
};
void RE_Direct_Lambert( const in IncidentLight directLight, const in vec3 geometryPosition, const in vec3 geometryNormal, const in vec3 geometryViewDir, const in vec3 geometryClearcoatNormal, const in LambertMaterial material, inout ReflectedLight reflectedLight ) {
	float dotNL = saturate( dot( geometryNormal, directLight.direction ) );
	vec3 irradiance = dotNL * directLight.color;
	reflectedLight.directDiffuse += irradiance * BRDF_Lambert( material.diffuseColor );
}
void RE_IndirectDiffuse_Lambert( const in vec3 irradiance, const in vec3 geometryPosition, const in vec3 geometryNormal, const in vec3 geometryViewDir, const in vec3 geometryClearcoatNormal, const in LambertMaterial material, inout ReflectedLight reflectedLight ) {
	reflectedLight.indirectDiffuse += irradiance * BRDF_Lambert( material.diffuseColor );
}
#define RE_Direct				RE_Direct_Lambert
#define RE_IndirectDiffuse		RE_IndirectDiffuse_Lambert`,__=`uniform bool receiveShadow;
uniform vec3 ambientLightColor;
#if defined( USE_LIGHT_PROBES )
	uniform vec3 lightProbe[ 9 ];
#endif
vec3 shGetIrradianceAt( in vec3 normal, in vec3 shCoefficients[ 9 ] ) {
	float x = normal.x, y = normal.y, z = normal.z;
	vec3 result = shCoefficients[ 0 ] * 0.886227;
	result += shCoefficients[ 1 ] * 2.0 * 0.511664 * y;
	result += shCoefficients[ 2 ] * 2.0 * 0.511664 * z;
	result += shCoefficients[ 3 ] * 2.0 * 0.511664 * x;
	result += shCoefficients[ 4 ] * 2.0 * 0.429043 * x * y;
	result += shCoefficients[ 5 ] * 2.0 * 0.429043 * y * z;
	result += shCoefficients[ 6 ] * ( 0.743125 * z * z - 0.247708 );
	result += shCoefficients[ 7 ] * 2.0 * 0.429043 * x * z;
	result += shCoefficients[ 8 ] * 0.429043 * ( x * x - y * y );
	return result;
}
vec3 getLightProbeIrradiance( const in vec3 lightProbe[ 9 ], const in vec3 normal ) {
	vec3 worldNormal = inverseTransformDirection( normal, viewMatrix );
	vec3 irradiance = shGetIrradianceAt( worldNormal, lightProbe );
	return irradiance;
}
vec3 getAmbientLightIrradiance( const in vec3 ambientLightColor ) {
	vec3 irradiance = ambientLightColor;
	return irradiance;
}
float getDistanceAttenuation( const in float lightDistance, const in float cutoffDistance, const in float decayExponent ) {
	#if defined ( LEGACY_LIGHTS )
		if ( cutoffDistance > 0.0 && decayExponent > 0.0 ) {
			return pow( saturate( - lightDistance / cutoffDistance + 1.0 ), decayExponent );
		}
		return 1.0;
	#else
		float distanceFalloff = 1.0 / max( pow( lightDistance, decayExponent ), 0.01 );
		if ( cutoffDistance > 0.0 ) {
			distanceFalloff *= pow2( saturate( 1.0 - pow4( lightDistance / cutoffDistance ) ) );
		}
		return distanceFalloff;
	#endif
}
float getSpotAttenuation( const in float coneCosine, const in float penumbraCosine, const in float angleCosine ) {
	return smoothstep( coneCosine, penumbraCosine, angleCosine );
}
#if NUM_DIR_LIGHTS > 0
	struct DirectionalLight {
		vec3 direction;
		vec3 color;
	};
	uniform DirectionalLight directionalLights[ NUM_DIR_LIGHTS ];
	void getDirectionalLightInfo( const in DirectionalLight directionalLight, out IncidentLight light ) {
		light.color = directionalLight.color;
		light.direction = directionalLight.direction;
		light.visible = true;
	}
#endif
#if NUM_POINT_LIGHTS > 0
	struct PointLight {
		vec3 position;
		vec3 color;
		float distance;
		float decay;
	};
	uniform PointLight pointLights[ NUM_POINT_LIGHTS ];
	void getPointLightInfo( const in PointLight pointLight, const in vec3 geometryPosition, out IncidentLight light ) {
		vec3 lVector = pointLight.position - geometryPosition;
		light.direction = normalize( lVector );
		float lightDistance = length( lVector );
		light.color = pointLight.color;
		light.color *= getDistanceAttenuation( lightDistance, pointLight.distance, pointLight.decay );
		light.visible = ( light.color != vec3( 0.0 ) );
	}
#endif
#if NUM_SPOT_LIGHTS > 0
	struct SpotLight {
		vec3 position;
		vec3 direction;
		vec3 color;
		float distance;
		float decay;
		float coneCos;
		float penumbraCos;
	};
	uniform SpotLight spotLights[ NUM_SPOT_LIGHTS ];
	void getSpotLightInfo( const in SpotLight spotLight, const in vec3 geometryPosition, out IncidentLight light ) {
		vec3 lVector = spotLight.position - geometryPosition;
		light.direction = normalize( lVector );
		float angleCos = dot( light.direction, spotLight.direction );
		float spotAttenuation = getSpotAttenuation( spotLight.coneCos, spotLight.penumbraCos, angleCos );
		if ( spotAttenuation > 0.0 ) {
			float lightDistance = length( lVector );
			light.color = spotLight.color * spotAttenuation;
			light.color *= getDistanceAttenuation( lightDistance, spotLight.distance, spotLight.decay );
			light.visible = ( light.color != vec3( 0.0 ) );
		} else {
			light.color = vec3( 0.0 );
			light.visible = false;
		}
	}
#endif
#if NUM_RECT_AREA_LIGHTS > 0
	struct RectAreaLight {
		vec3 color;
		vec3 position;
		vec3 halfWidth;
		vec3 halfHeight;
	};
	uniform sampler2D ltc_1;	uniform sampler2D ltc_2;
	uniform RectAreaLight rectAreaLights[ NUM_RECT_AREA_LIGHTS ];
#endif
#if NUM_HEMI_LIGHTS > 0
	struct HemisphereLight {
		vec3 direction;
		vec3 skyColor;
		vec3 groundColor;
	};
	uniform HemisphereLight hemisphereLights[ NUM_HEMI_LIGHTS ];
	vec3 getHemisphereLightIrradiance( const in HemisphereLight hemiLight, const in vec3 normal ) {
		float dotNL = dot( normal, hemiLight.direction );
		float hemiDiffuseWeight = 0.5 * dotNL + 0.5;
		vec3 irradiance = mix( hemiLight.groundColor, hemiLight.skyColor, hemiDiffuseWeight );
		return irradiance;
	}
#endif`,v_=`#ifdef USE_ENVMAP
	vec3 getIBLIrradiance( const in vec3 normal ) {
		#ifdef ENVMAP_TYPE_CUBE_UV
			vec3 worldNormal = inverseTransformDirection( normal, viewMatrix );
			vec4 envMapColor = textureCubeUV( envMap, envMapRotation * worldNormal, 1.0 );
			return PI * envMapColor.rgb * envMapIntensity;
		#else
			return vec3( 0.0 );
		#endif
	}
	vec3 getIBLRadiance( const in vec3 viewDir, const in vec3 normal, const in float roughness ) {
		#ifdef ENVMAP_TYPE_CUBE_UV
			vec3 reflectVec = reflect( - viewDir, normal );
			reflectVec = normalize( mix( reflectVec, normal, roughness * roughness) );
			reflectVec = inverseTransformDirection( reflectVec, viewMatrix );
			vec4 envMapColor = textureCubeUV( envMap, envMapRotation * reflectVec, roughness );
			return envMapColor.rgb * envMapIntensity;
		#else
			return vec3( 0.0 );
		#endif
	}
	#ifdef USE_ANISOTROPY
		vec3 getIBLAnisotropyRadiance( const in vec3 viewDir, const in vec3 normal, const in float roughness, const in vec3 bitangent, const in float anisotropy ) {
			#ifdef ENVMAP_TYPE_CUBE_UV
				vec3 bentNormal = cross( bitangent, viewDir );
				bentNormal = normalize( cross( bentNormal, bitangent ) );
				bentNormal = normalize( mix( bentNormal, normal, pow2( pow2( 1.0 - anisotropy * ( 1.0 - roughness ) ) ) ) );
				return getIBLRadiance( viewDir, bentNormal, roughness );
			#else
				return vec3( 0.0 );
			#endif
		}
	#endif
#endif`,x_=`ToonMaterial material;
material.diffuseColor = diffuseColor.rgb;`,M_=`varying vec3 vViewPosition;
struct ToonMaterial {
	vec3 diffuseColor;
};
void RE_Direct_Toon( const in IncidentLight directLight, const in vec3 geometryPosition, const in vec3 geometryNormal, const in vec3 geometryViewDir, const in vec3 geometryClearcoatNormal, const in ToonMaterial material, inout ReflectedLight reflectedLight ) {
	vec3 irradiance = getGradientIrradiance( geometryNormal, directLight.direction ) * directLight.color;
	reflectedLight.directDiffuse += irradiance * BRDF_Lambert( material.diffuseColor );
}
void RE_IndirectDiffuse_Toon( const in vec3 irradiance, const in vec3 geometryPosition, const in vec3 geometryNormal, const in vec3 geometryViewDir, const in vec3 geometryClearcoatNormal, const in ToonMaterial material, inout ReflectedLight reflectedLight ) {
	reflectedLight.indirectDiffuse += irradiance * BRDF_Lambert( material.diffuseColor );
}
#define RE_Direct				RE_Direct_Toon
#define RE_IndirectDiffuse		RE_IndirectDiffuse_Toon`,S_=`BlinnPhongMaterial material;
material.diffuseColor = diffuseColor.rgb;
material.specularColor = specular;
material.specularShininess = shininess;
material.specularStrength = specularStrength;`,y_=`varying vec3 vViewPosition;
struct BlinnPhongMaterial {
	vec3 diffuseColor;
	vec3 specularColor;
	float specularShininess;
	float specularStrength;
};
void RE_Direct_BlinnPhong( const in IncidentLight directLight, const in vec3 geometryPosition, const in vec3 geometryNormal, const in vec3 geometryViewDir, const in vec3 geometryClearcoatNormal, const in BlinnPhongMaterial material, inout ReflectedLight reflectedLight ) {
	float dotNL = saturate( dot( geometryNormal, directLight.direction ) );
	vec3 irradiance = dotNL * directLight.color;
	reflectedLight.directDiffuse += irradiance * BRDF_Lambert( material.diffuseColor );
	reflectedLight.directSpecular += irradiance * BRDF_BlinnPhong( directLight.direction, geometryViewDir, geometryNormal, material.specularColor, material.specularShininess ) * material.specularStrength;
}
void RE_IndirectDiffuse_BlinnPhong( const in vec3 irradiance, const in vec3 geometryPosition, const in vec3 geometryNormal, const in vec3 geometryViewDir, const in vec3 geometryClearcoatNormal, const in BlinnPhongMaterial material, inout ReflectedLight reflectedLight ) {
	reflectedLight.indirectDiffuse += irradiance * BRDF_Lambert( material.diffuseColor );
}
#define RE_Direct				RE_Direct_BlinnPhong
#define RE_IndirectDiffuse		RE_IndirectDiffuse_BlinnPhong`,E_=`PhysicalMaterial material;
material.diffuseColor = diffuseColor.rgb * ( 1.0 - metalnessFactor );
vec3 dxy = max( abs( dFdx( nonPerturbedNormal ) ), abs( dFdy( nonPerturbedNormal ) ) );
float geometryRoughness = max( max( dxy.x, dxy.y ), dxy.z );
material.roughness = max( roughnessFactor, 0.0525 );material.roughness += geometryRoughness;
material.roughness = min( material.roughness, 1.0 );
#ifdef IOR
	material.ior = ior;
	#ifdef USE_SPECULAR
		float specularIntensityFactor = specularIntensity;
		vec3 specularColorFactor = specularColor;
		#ifdef USE_SPECULAR_COLORMAP
			specularColorFactor *= texture2D( specularColorMap, vSpecularColorMapUv ).rgb;
		#endif
		#ifdef USE_SPECULAR_INTENSITYMAP
			specularIntensityFactor *= texture2D( specularIntensityMap, vSpecularIntensityMapUv ).a;
		#endif
		material.specularF90 = mix( specularIntensityFactor, 1.0, metalnessFactor );
	#else
		float specularIntensityFactor = 1.0;
		vec3 specularColorFactor = vec3( 1.0 );
		material.specularF90 = 1.0;
	#endif
	material.specularColor = mix( min( pow2( ( material.ior - 1.0 ) / ( material.ior + 1.0 ) ) * specularColorFactor, vec3( 1.0 ) ) * specularIntensityFactor, diffuseColor.rgb, metalnessFactor );
#else
	material.specularColor = mix( vec3( 0.04 ), diffuseColor.rgb, metalnessFactor );
	material.specularF90 = 1.0;
#endif
#ifdef USE_CLEARCOAT
	material.clearcoat = clearcoat;
	material.clearcoatRoughness = clearcoatRoughness;
	material.clearcoatF0 = vec3( 0.04 );
	material.clearcoatF90 = 1.0;
	#ifdef USE_CLEARCOATMAP
		material.clearcoat *= texture2D( clearcoatMap, vClearcoatMapUv ).x;
	#endif
	#ifdef USE_CLEARCOAT_ROUGHNESSMAP
		material.clearcoatRoughness *= texture2D( clearcoatRoughnessMap, vClearcoatRoughnessMapUv ).y;
	#endif
	material.clearcoat = saturate( material.clearcoat );	material.clearcoatRoughness = max( material.clearcoatRoughness, 0.0525 );
	material.clearcoatRoughness += geometryRoughness;
	material.clearcoatRoughness = min( material.clearcoatRoughness, 1.0 );
#endif
#ifdef USE_DISPERSION
	material.dispersion = dispersion;
#endif
#ifdef USE_IRIDESCENCE
	material.iridescence = iridescence;
	material.iridescenceIOR = iridescenceIOR;
	#ifdef USE_IRIDESCENCEMAP
		material.iridescence *= texture2D( iridescenceMap, vIridescenceMapUv ).r;
	#endif
	#ifdef USE_IRIDESCENCE_THICKNESSMAP
		material.iridescenceThickness = (iridescenceThicknessMaximum - iridescenceThicknessMinimum) * texture2D( iridescenceThicknessMap, vIridescenceThicknessMapUv ).g + iridescenceThicknessMinimum;
	#else
		material.iridescenceThickness = iridescenceThicknessMaximum;
	#endif
#endif
#ifdef USE_SHEEN
	material.sheenColor = sheenColor;
	#ifdef USE_SHEEN_COLORMAP
		material.sheenColor *= texture2D( sheenColorMap, vSheenColorMapUv ).rgb;
	#endif
	material.sheenRoughness = clamp( sheenRoughness, 0.07, 1.0 );
	#ifdef USE_SHEEN_ROUGHNESSMAP
		material.sheenRoughness *= texture2D( sheenRoughnessMap, vSheenRoughnessMapUv ).a;
	#endif
#endif
#ifdef USE_ANISOTROPY
	#ifdef USE_ANISOTROPYMAP
		mat2 anisotropyMat = mat2( anisotropyVector.x, anisotropyVector.y, - anisotropyVector.y, anisotropyVector.x );
		vec3 anisotropyPolar = texture2D( anisotropyMap, vAnisotropyMapUv ).rgb;
		vec2 anisotropyV = anisotropyMat * normalize( 2.0 * anisotropyPolar.rg - vec2( 1.0 ) ) * anisotropyPolar.b;
	#else
		vec2 anisotropyV = anisotropyVector;
	#endif
	material.anisotropy = length( anisotropyV );
	if( material.anisotropy == 0.0 ) {
		anisotropyV = vec2( 1.0, 0.0 );
	} else {
		anisotropyV /= material.anisotropy;
		material.anisotropy = saturate( material.anisotropy );
	}
	material.alphaT = mix( pow2( material.roughness ), 1.0, pow2( material.anisotropy ) );
	material.anisotropyT = tbn[ 0 ] * anisotropyV.x + tbn[ 1 ] * anisotropyV.y;
	material.anisotropyB = tbn[ 1 ] * anisotropyV.x - tbn[ 0 ] * anisotropyV.y;
#endif`,b_=`struct PhysicalMaterial {
	vec3 diffuseColor;
	float roughness;
	vec3 specularColor;
	float specularF90;
	float dispersion;
	#ifdef USE_CLEARCOAT
		float clearcoat;
		float clearcoatRoughness;
		vec3 clearcoatF0;
		float clearcoatF90;
	#endif
	#ifdef USE_IRIDESCENCE
		float iridescence;
		float iridescenceIOR;
		float iridescenceThickness;
		vec3 iridescenceFresnel;
		vec3 iridescenceF0;
	#endif
	#ifdef USE_SHEEN
		vec3 sheenColor;
		float sheenRoughness;
	#endif
	#ifdef IOR
		float ior;
	#endif
	#ifdef USE_TRANSMISSION
		float transmission;
		float transmissionAlpha;
		float thickness;
		float attenuationDistance;
		vec3 attenuationColor;
	#endif
	#ifdef USE_ANISOTROPY
		float anisotropy;
		float alphaT;
		vec3 anisotropyT;
		vec3 anisotropyB;
	#endif
};
vec3 clearcoatSpecularDirect = vec3( 0.0 );
vec3 clearcoatSpecularIndirect = vec3( 0.0 );
vec3 sheenSpecularDirect = vec3( 0.0 );
vec3 sheenSpecularIndirect = vec3(0.0 );
vec3 Schlick_to_F0( const in vec3 f, const in float f90, const in float dotVH ) {
    float x = clamp( 1.0 - dotVH, 0.0, 1.0 );
    float x2 = x * x;
    float x5 = clamp( x * x2 * x2, 0.0, 0.9999 );
    return ( f - vec3( f90 ) * x5 ) / ( 1.0 - x5 );
}
float V_GGX_SmithCorrelated( const in float alpha, const in float dotNL, const in float dotNV ) {
	float a2 = pow2( alpha );
	float gv = dotNL * sqrt( a2 + ( 1.0 - a2 ) * pow2( dotNV ) );
	float gl = dotNV * sqrt( a2 + ( 1.0 - a2 ) * pow2( dotNL ) );
	return 0.5 / max( gv + gl, EPSILON );
}
float D_GGX( const in float alpha, const in float dotNH ) {
	float a2 = pow2( alpha );
	float denom = pow2( dotNH ) * ( a2 - 1.0 ) + 1.0;
	return RECIPROCAL_PI * a2 / pow2( denom );
}
#ifdef USE_ANISOTROPY
	float V_GGX_SmithCorrelated_Anisotropic( const in float alphaT, const in float alphaB, const in float dotTV, const in float dotBV, const in float dotTL, const in float dotBL, const in float dotNV, const in float dotNL ) {
		float gv = dotNL * length( vec3( alphaT * dotTV, alphaB * dotBV, dotNV ) );
		float gl = dotNV * length( vec3( alphaT * dotTL, alphaB * dotBL, dotNL ) );
		float v = 0.5 / ( gv + gl );
		return saturate(v);
	}
	float D_GGX_Anisotropic( const in float alphaT, const in float alphaB, const in float dotNH, const in float dotTH, const in float dotBH ) {
		float a2 = alphaT * alphaB;
		highp vec3 v = vec3( alphaB * dotTH, alphaT * dotBH, a2 * dotNH );
		highp float v2 = dot( v, v );
		float w2 = a2 / v2;
		return RECIPROCAL_PI * a2 * pow2 ( w2 );
	}
#endif
#ifdef USE_CLEARCOAT
	vec3 BRDF_GGX_Clearcoat( const in vec3 lightDir, const in vec3 viewDir, const in vec3 normal, const in PhysicalMaterial material) {
		vec3 f0 = material.clearcoatF0;
		float f90 = material.clearcoatF90;
		float roughness = material.clearcoatRoughness;
		float alpha = pow2( roughness );
		vec3 halfDir = normalize( lightDir + viewDir );
		float dotNL = saturate( dot( normal, lightDir ) );
		float dotNV = saturate( dot( normal, viewDir ) );
		float dotNH = saturate( dot( normal, halfDir ) );
		float dotVH = saturate( dot( viewDir, halfDir ) );
		vec3 F = F_Schlick( f0, f90, dotVH );
		float V = V_GGX_SmithCorrelated( alpha, dotNL, dotNV );
		float D = D_GGX( alpha, dotNH );
		return F * ( V * D );
	}
#endif
vec3 BRDF_GGX( const in vec3 lightDir, const in vec3 viewDir, const in vec3 normal, const in PhysicalMaterial material ) {
	vec3 f0 = material.specularColor;
	float f90 = material.specularF90;
	float roughness = material.roughness;
	float alpha = pow2( roughness );
	vec3 halfDir = normalize( lightDir + viewDir );
	float dotNL = saturate( dot( normal, lightDir ) );
	float dotNV = saturate( dot( normal, viewDir ) );
	float dotNH = saturate( dot( normal, halfDir ) );
	float dotVH = saturate( dot( viewDir, halfDir ) );
	vec3 F = F_Schlick( f0, f90, dotVH );
	#ifdef USE_IRIDESCENCE
		F = mix( F, material.iridescenceFresnel, material.iridescence );
	#endif
	#ifdef USE_ANISOTROPY
		float dotTL = dot( material.anisotropyT, lightDir );
		float dotTV = dot( material.anisotropyT, viewDir );
		float dotTH = dot( material.anisotropyT, halfDir );
		float dotBL = dot( material.anisotropyB, lightDir );
		float dotBV = dot( material.anisotropyB, viewDir );
		float dotBH = dot( material.anisotropyB, halfDir );
		float V = V_GGX_SmithCorrelated_Anisotropic( material.alphaT, alpha, dotTV, dotBV, dotTL, dotBL, dotNV, dotNL );
		float D = D_GGX_Anisotropic( material.alphaT, alpha, dotNH, dotTH, dotBH );
	#else
		float V = V_GGX_SmithCorrelated( alpha, dotNL, dotNV );
		float D = D_GGX( alpha, dotNH );
	#endif
	return F * ( V * D );
}
vec2 LTC_Uv( const in vec3 N, const in vec3 V, const in float roughness ) {
	const float LUT_SIZE = 64.0;
	const float LUT_SCALE = ( LUT_SIZE - 1.0 ) / LUT_SIZE;
	const float LUT_BIAS = 0.5 / LUT_SIZE;
	float dotNV = saturate( dot( N, V ) );
	vec2 uv = vec2( roughness, sqrt( 1.0 - dotNV ) );
	uv = uv * LUT_SCALE + LUT_BIAS;
	return uv;
}
float LTC_ClippedSphereFormFactor( const in vec3 f ) {
	float l = length( f );
	return max( ( l * l + f.z ) / ( l + 1.0 ), 0.0 );
}
vec3 LTC_EdgeVectorFormFactor( const in vec3 v1, const in vec3 v2 ) {
	float x = dot( v1, v2 );
	float y = abs( x );
	float a = 0.8543985 + ( 0.4965155 + 0.0145206 * y ) * y;
	float b = 3.4175940 + ( 4.1616724 + y ) * y;
	float v = a / b;
	float theta_sintheta = ( x > 0.0 ) ? v : 0.5 * inversesqrt( max( 1.0 - x * x, 1e-7 ) ) - v;
	return cross( v1, v2 ) * theta_sintheta;
}
vec3 LTC_Evaluate( const in vec3 N, const in vec3 V, const in vec3 P, const in mat3 mInv, const in vec3 rectCoords[ 4 ] ) {
	vec3 v1 = rectCoords[ 1 ] - rectCoords[ 0 ];
	vec3 v2 = rectCoords[ 3 ] - rectCoords[ 0 ];
	vec3 lightNormal = cross( v1, v2 );
	if( dot( lightNormal, P - rectCoords[ 0 ] ) < 0.0 ) return vec3( 0.0 );
	vec3 T1, T2;
	T1 = normalize( V - N * dot( V, N ) );
	T2 = - cross( N, T1 );
	mat3 mat = mInv * transposeMat3( mat3( T1, T2, N ) );
	vec3 coords[ 4 ];
	coords[ 0 ] = mat * ( rectCoords[ 0 ] - P );
	coords[ 1 ] = mat * ( rectCoords[ 1 ] - P );
	coords[ 2 ] = mat * ( rectCoords[ 2 ] - P );
	coords[ 3 ] = mat * ( rectCoords[ 3 ] - P );
	coords[ 0 ] = normalize( coords[ 0 ] );
	coords[ 1 ] = normalize( coords[ 1 ] );
	coords[ 2 ] = normalize( coords[ 2 ] );
	coords[ 3 ] = normalize( coords[ 3 ] );
	vec3 vectorFormFactor = vec3( 0.0 );
	vectorFormFactor += LTC_EdgeVectorFormFactor( coords[ 0 ], coords[ 1 ] );
	vectorFormFactor += LTC_EdgeVectorFormFactor( coords[ 1 ], coords[ 2 ] );
	vectorFormFactor += LTC_EdgeVectorFormFactor( coords[ 2 ], coords[ 3 ] );
	vectorFormFactor += LTC_EdgeVectorFormFactor( coords[ 3 ], coords[ 0 ] );
	float result = LTC_ClippedSphereFormFactor( vectorFormFactor );
	return vec3( result );
}
#if defined( USE_SHEEN )
float D_Charlie( float roughness, float dotNH ) {
	float alpha = pow2( roughness );
	float invAlpha = 1.0 / alpha;
	float cos2h = dotNH * dotNH;
	float sin2h = max( 1.0 - cos2h, 0.0078125 );
	return ( 2.0 + invAlpha ) * pow( sin2h, invAlpha * 0.5 ) / ( 2.0 * PI );
}
float V_Neubelt( float dotNV, float dotNL ) {
	return saturate( 1.0 / ( 4.0 * ( dotNL + dotNV - dotNL * dotNV ) ) );
}
vec3 BRDF_Sheen( const in vec3 lightDir, const in vec3 viewDir, const in vec3 normal, vec3 sheenColor, const in float sheenRoughness ) {
	vec3 halfDir = normalize( lightDir + viewDir );
	float dotNL = saturate( dot( normal, lightDir ) );
	float dotNV = saturate( dot( normal, viewDir ) );
	float dotNH = saturate( dot( normal, halfDir ) );
	float D = D_Charlie( sheenRoughness, dotNH );
	float V = V_Neubelt( dotNV, dotNL );
	return sheenColor * ( D * V );
}
#endif
float IBLSheenBRDF( const in vec3 normal, const in vec3 viewDir, const in float roughness ) {
	float dotNV = saturate( dot( normal, viewDir ) );
	float r2 = roughness * roughness;
	float a = roughness < 0.25 ? -339.2 * r2 + 161.4 * roughness - 25.9 : -8.48 * r2 + 14.3 * roughness - 9.95;
	float b = roughness < 0.25 ? 44.0 * r2 - 23.7 * roughness + 3.26 : 1.97 * r2 - 3.27 * roughness + 0.72;
	float DG = exp( a * dotNV + b ) + ( roughness < 0.25 ? 0.0 : 0.1 * ( roughness - 0.25 ) );
	return saturate( DG * RECIPROCAL_PI );
}
vec2 DFGApprox( const in vec3 normal, const in vec3 viewDir, const in float roughness ) {
	float dotNV = saturate( dot( normal, viewDir ) );
	const vec4 c0 = vec4( - 1, - 0.0275, - 0.572, 0.022 );
	const vec4 c1 = vec4( 1, 0.0425, 1.04, - 0.04 );
	vec4 r = roughness * c0 + c1;
	float a004 = min( r.x * r.x, exp2( - 9.28 * dotNV ) ) * r.x + r.y;
	vec2 fab = vec2( - 1.04, 1.04 ) * a004 + r.zw;
	return fab;
}
vec3 EnvironmentBRDF( const in vec3 normal, const in vec3 viewDir, const in vec3 specularColor, const in float specularF90, const in float roughness ) {
	vec2 fab = DFGApprox( normal, viewDir, roughness );
	return specularColor * fab.x + specularF90 * fab.y;
}
#ifdef USE_IRIDESCENCE
void computeMultiscatteringIridescence( const in vec3 normal, const in vec3 viewDir, const in vec3 specularColor, const in float specularF90, const in float iridescence, const in vec3 iridescenceF0, const in float roughness, inout vec3 singleScatter, inout vec3 multiScatter ) {
#else
void computeMultiscattering( const in vec3 normal, const in vec3 viewDir, const in vec3 specularColor, const in float specularF90, const in float roughness, inout vec3 singleScatter, inout vec3 multiScatter ) {
#endif
	vec2 fab = DFGApprox( normal, viewDir, roughness );
	#ifdef USE_IRIDESCENCE
		vec3 Fr = mix( specularColor, iridescenceF0, iridescence );
	#else
		vec3 Fr = specularColor;
	#endif
	vec3 FssEss = Fr * fab.x + specularF90 * fab.y;
	float Ess = fab.x + fab.y;
	float Ems = 1.0 - Ess;
	vec3 Favg = Fr + ( 1.0 - Fr ) * 0.047619;	vec3 Fms = FssEss * Favg / ( 1.0 - Ems * Favg );
	singleScatter += FssEss;
	multiScatter += Fms * Ems;
}
#if NUM_RECT_AREA_LIGHTS > 0
	void RE_Direct_RectArea_Physical( const in RectAreaLight rectAreaLight, const in vec3 geometryPosition, const in vec3 geometryNormal, const in vec3 geometryViewDir, const in vec3 geometryClearcoatNormal, const in PhysicalMaterial material, inout ReflectedLight reflectedLight ) {
		vec3 normal = geometryNormal;
		vec3 viewDir = geometryViewDir;
		vec3 position = geometryPosition;
		vec3 lightPos = rectAreaLight.position;
		vec3 halfWidth = rectAreaLight.halfWidth;
		vec3 halfHeight = rectAreaLight.halfHeight;
		vec3 lightColor = rectAreaLight.color;
		float roughness = material.roughness;
		vec3 rectCoords[ 4 ];
		rectCoords[ 0 ] = lightPos + halfWidth - halfHeight;		rectCoords[ 1 ] = lightPos - halfWidth - halfHeight;
		rectCoords[ 2 ] = lightPos - halfWidth + halfHeight;
		rectCoords[ 3 ] = lightPos + halfWidth + halfHeight;
		vec2 uv = LTC_Uv( normal, viewDir, roughness );
		vec4 t1 = texture2D( ltc_1, uv );
		vec4 t2 = texture2D( ltc_2, uv );
		mat3 mInv = mat3(
			vec3( t1.x, 0, t1.y ),
			vec3(    0, 1,    0 ),
			vec3( t1.z, 0, t1.w )
		);
		vec3 fresnel = ( material.specularColor * t2.x + ( vec3( 1.0 ) - material.specularColor ) * t2.y );
		reflectedLight.directSpecular += lightColor * fresnel * LTC_Evaluate( normal, viewDir, position, mInv, rectCoords );
		reflectedLight.directDiffuse += lightColor * material.diffuseColor * LTC_Evaluate( normal, viewDir, position, mat3( 1.0 ), rectCoords );
	}
#endif
void RE_Direct_Physical( const in IncidentLight directLight, const in vec3 geometryPosition, const in vec3 geometryNormal, const in vec3 geometryViewDir, const in vec3 geometryClearcoatNormal, const in PhysicalMaterial material, inout ReflectedLight reflectedLight ) {
	float dotNL = saturate( dot( geometryNormal, directLight.direction ) );
	vec3 irradiance = dotNL * directLight.color;
	#ifdef USE_CLEARCOAT
		float dotNLcc = saturate( dot( geometryClearcoatNormal, directLight.direction ) );
		vec3 ccIrradiance = dotNLcc * directLight.color;
		clearcoatSpecularDirect += ccIrradiance * BRDF_GGX_Clearcoat( directLight.direction, geometryViewDir, geometryClearcoatNormal, material );
	#endif
	#ifdef USE_SHEEN
		sheenSpecularDirect += irradiance * BRDF_Sheen( directLight.direction, geometryViewDir, geometryNormal, material.sheenColor, material.sheenRoughness );
	#endif
	reflectedLight.directSpecular += irradiance * BRDF_GGX( directLight.direction, geometryViewDir, geometryNormal, material );
	reflectedLight.directDiffuse += irradiance * BRDF_Lambert( material.diffuseColor );
}
void RE_IndirectDiffuse_Physical( const in vec3 irradiance, const in vec3 geometryPosition, const in vec3 geometryNormal, const in vec3 geometryViewDir, const in vec3 geometryClearcoatNormal, const in PhysicalMaterial material, inout ReflectedLight reflectedLight ) {
	reflectedLight.indirectDiffuse += irradiance * BRDF_Lambert( material.diffuseColor );
}
void RE_IndirectSpecular_Physical( const in vec3 radiance, const in vec3 irradiance, const in vec3 clearcoatRadiance, const in vec3 geometryPosition, const in vec3 geometryNormal, const in vec3 geometryViewDir, const in vec3 geometryClearcoatNormal, const in PhysicalMaterial material, inout ReflectedLight reflectedLight) {
	#ifdef USE_CLEARCOAT
		clearcoatSpecularIndirect += clearcoatRadiance * EnvironmentBRDF( geometryClearcoatNormal, geometryViewDir, material.clearcoatF0, material.clearcoatF90, material.clearcoatRoughness );
	#endif
	#ifdef USE_SHEEN
		sheenSpecularIndirect += irradiance * material.sheenColor * IBLSheenBRDF( geometryNormal, geometryViewDir, material.sheenRoughness );
	#endif
	vec3 singleScattering = vec3( 0.0 );
	vec3 multiScattering = vec3( 0.0 );
	vec3 cosineWeightedIrradiance = irradiance * RECIPROCAL_PI;
	#ifdef USE_IRIDESCENCE
		computeMultiscatteringIridescence( geometryNormal, geometryViewDir, material.specularColor, material.specularF90, material.iridescence, material.iridescenceFresnel, material.roughness, singleScattering, multiScattering );
	#else
		computeMultiscattering( geometryNormal, geometryViewDir, material.specularColor, material.specularF90, material.roughness, singleScattering, multiScattering );
	#endif
	vec3 totalScattering = singleScattering + multiScattering;
	vec3 diffuse = material.diffuseColor * ( 1.0 - max( max( totalScattering.r, totalScattering.g ), totalScattering.b ) );
	reflectedLight.indirectSpecular += radiance * singleScattering;
	reflectedLight.indirectSpecular += multiScattering * cosineWeightedIrradiance;
	reflectedLight.indirectDiffuse += diffuse * cosineWeightedIrradiance;
}
#define RE_Direct				RE_Direct_Physical
#define RE_Direct_RectArea		RE_Direct_RectArea_Physical
#define RE_IndirectDiffuse		RE_IndirectDiffuse_Physical
#define RE_IndirectSpecular		RE_IndirectSpecular_Physical
float computeSpecularOcclusion( const in float dotNV, const in float ambientOcclusion, const in float roughness ) {
	return saturate( pow( dotNV + ambientOcclusion, exp2( - 16.0 * roughness - 1.0 ) ) - 1.0 + ambientOcclusion );
}`,w_=`
vec3 geometryPosition = - vViewPosition;
vec3 geometryNormal = normal;
vec3 geometryViewDir = ( isOrthographic ) ? vec3( 0, 0, 1 ) : normalize( vViewPosition );
vec3 geometryClearcoatNormal = vec3( 0.0 );
#ifdef USE_CLEARCOAT
	geometryClearcoatNormal = clearcoatNormal;
#endif
#ifdef USE_IRIDESCENCE
	float dotNVi = saturate( dot( normal, geometryViewDir ) );
	if ( material.iridescenceThickness == 0.0 ) {
		material.iridescence = 0.0;
	} else {
		material.iridescence = saturate( material.iridescence );
	}
	if ( material.iridescence > 0.0 ) {
		material.iridescenceFresnel = evalIridescence( 1.0, material.iridescenceIOR, dotNVi, material.iridescenceThickness, material.specularColor );
		material.iridescenceF0 = Schlick_to_F0( material.iridescenceFresnel, 1.0, dotNVi );
	}
#endif
IncidentLight directLight;
#if ( NUM_POINT_LIGHTS > 0 ) && defined( RE_Direct )
	PointLight pointLight;
	#if defined( USE_SHADOWMAP ) && NUM_POINT_LIGHT_SHADOWS > 0
	PointLightShadow pointLightShadow;
	#endif
	#pragma unroll_loop_start
	for ( int i = 0; i < NUM_POINT_LIGHTS; i ++ ) {
		pointLight = pointLights[ i ];
		getPointLightInfo( pointLight, geometryPosition, directLight );
		#if defined( USE_SHADOWMAP ) && ( UNROLLED_LOOP_INDEX < NUM_POINT_LIGHT_SHADOWS )
		pointLightShadow = pointLightShadows[ i ];
		directLight.color *= ( directLight.visible && receiveShadow ) ? getPointShadow( pointShadowMap[ i ], pointLightShadow.shadowMapSize, pointLightShadow.shadowBias, pointLightShadow.shadowRadius, vPointShadowCoord[ i ], pointLightShadow.shadowCameraNear, pointLightShadow.shadowCameraFar ) : 1.0;
		#endif
		RE_Direct( directLight, geometryPosition, geometryNormal, geometryViewDir, geometryClearcoatNormal, material, reflectedLight );
	}
	#pragma unroll_loop_end
#endif
#if ( NUM_SPOT_LIGHTS > 0 ) && defined( RE_Direct )
	SpotLight spotLight;
	vec4 spotColor;
	vec3 spotLightCoord;
	bool inSpotLightMap;
	#if defined( USE_SHADOWMAP ) && NUM_SPOT_LIGHT_SHADOWS > 0
	SpotLightShadow spotLightShadow;
	#endif
	#pragma unroll_loop_start
	for ( int i = 0; i < NUM_SPOT_LIGHTS; i ++ ) {
		spotLight = spotLights[ i ];
		getSpotLightInfo( spotLight, geometryPosition, directLight );
		#if ( UNROLLED_LOOP_INDEX < NUM_SPOT_LIGHT_SHADOWS_WITH_MAPS )
		#define SPOT_LIGHT_MAP_INDEX UNROLLED_LOOP_INDEX
		#elif ( UNROLLED_LOOP_INDEX < NUM_SPOT_LIGHT_SHADOWS )
		#define SPOT_LIGHT_MAP_INDEX NUM_SPOT_LIGHT_MAPS
		#else
		#define SPOT_LIGHT_MAP_INDEX ( UNROLLED_LOOP_INDEX - NUM_SPOT_LIGHT_SHADOWS + NUM_SPOT_LIGHT_SHADOWS_WITH_MAPS )
		#endif
		#if ( SPOT_LIGHT_MAP_INDEX < NUM_SPOT_LIGHT_MAPS )
			spotLightCoord = vSpotLightCoord[ i ].xyz / vSpotLightCoord[ i ].w;
			inSpotLightMap = all( lessThan( abs( spotLightCoord * 2. - 1. ), vec3( 1.0 ) ) );
			spotColor = texture2D( spotLightMap[ SPOT_LIGHT_MAP_INDEX ], spotLightCoord.xy );
			directLight.color = inSpotLightMap ? directLight.color * spotColor.rgb : directLight.color;
		#endif
		#undef SPOT_LIGHT_MAP_INDEX
		#if defined( USE_SHADOWMAP ) && ( UNROLLED_LOOP_INDEX < NUM_SPOT_LIGHT_SHADOWS )
		spotLightShadow = spotLightShadows[ i ];
		directLight.color *= ( directLight.visible && receiveShadow ) ? getShadow( spotShadowMap[ i ], spotLightShadow.shadowMapSize, spotLightShadow.shadowBias, spotLightShadow.shadowRadius, vSpotLightCoord[ i ] ) : 1.0;
		#endif
		RE_Direct( directLight, geometryPosition, geometryNormal, geometryViewDir, geometryClearcoatNormal, material, reflectedLight );
	}
	#pragma unroll_loop_end
#endif
#if ( NUM_DIR_LIGHTS > 0 ) && defined( RE_Direct )
	DirectionalLight directionalLight;
	#if defined( USE_SHADOWMAP ) && NUM_DIR_LIGHT_SHADOWS > 0
	DirectionalLightShadow directionalLightShadow;
	#endif
	#pragma unroll_loop_start
	for ( int i = 0; i < NUM_DIR_LIGHTS; i ++ ) {
		directionalLight = directionalLights[ i ];
		getDirectionalLightInfo( directionalLight, directLight );
		#if defined( USE_SHADOWMAP ) && ( UNROLLED_LOOP_INDEX < NUM_DIR_LIGHT_SHADOWS )
		directionalLightShadow = directionalLightShadows[ i ];
		directLight.color *= ( directLight.visible && receiveShadow ) ? getShadow( directionalShadowMap[ i ], directionalLightShadow.shadowMapSize, directionalLightShadow.shadowBias, directionalLightShadow.shadowRadius, vDirectionalShadowCoord[ i ] ) : 1.0;
		#endif
		RE_Direct( directLight, geometryPosition, geometryNormal, geometryViewDir, geometryClearcoatNormal, material, reflectedLight );
	}
	#pragma unroll_loop_end
#endif
#if ( NUM_RECT_AREA_LIGHTS > 0 ) && defined( RE_Direct_RectArea )
	RectAreaLight rectAreaLight;
	#pragma unroll_loop_start
	for ( int i = 0; i < NUM_RECT_AREA_LIGHTS; i ++ ) {
		rectAreaLight = rectAreaLights[ i ];
		RE_Direct_RectArea( rectAreaLight, geometryPosition, geometryNormal, geometryViewDir, geometryClearcoatNormal, material, reflectedLight );
	}
	#pragma unroll_loop_end
#endif
#if defined( RE_IndirectDiffuse )
	vec3 iblIrradiance = vec3( 0.0 );
	vec3 irradiance = getAmbientLightIrradiance( ambientLightColor );
	#if defined( USE_LIGHT_PROBES )
		irradiance += getLightProbeIrradiance( lightProbe, geometryNormal );
	#endif
	#if ( NUM_HEMI_LIGHTS > 0 )
		#pragma unroll_loop_start
		for ( int i = 0; i < NUM_HEMI_LIGHTS; i ++ ) {
			irradiance += getHemisphereLightIrradiance( hemisphereLights[ i ], geometryNormal );
		}
		#pragma unroll_loop_end
	#endif
#endif
#if defined( RE_IndirectSpecular )
	vec3 radiance = vec3( 0.0 );
	vec3 clearcoatRadiance = vec3( 0.0 );
#endif`,T_=`#if defined( RE_IndirectDiffuse )
	#ifdef USE_LIGHTMAP
		vec4 lightMapTexel = texture2D( lightMap, vLightMapUv );
		vec3 lightMapIrradiance = lightMapTexel.rgb * lightMapIntensity;
		irradiance += lightMapIrradiance;
	#endif
	#if defined( USE_ENVMAP ) && defined( STANDARD ) && defined( ENVMAP_TYPE_CUBE_UV )
		iblIrradiance += getIBLIrradiance( geometryNormal );
	#endif
#endif
#if defined( USE_ENVMAP ) && defined( RE_IndirectSpecular )
	#ifdef USE_ANISOTROPY
		radiance += getIBLAnisotropyRadiance( geometryViewDir, geometryNormal, material.roughness, material.anisotropyB, material.anisotropy );
	#else
		radiance += getIBLRadiance( geometryViewDir, geometryNormal, material.roughness );
	#endif
	#ifdef USE_CLEARCOAT
		clearcoatRadiance += getIBLRadiance( geometryViewDir, geometryClearcoatNormal, material.clearcoatRoughness );
	#endif
#endif`,A_=`#if defined( RE_IndirectDiffuse )
	RE_IndirectDiffuse( irradiance, geometryPosition, geometryNormal, geometryViewDir, geometryClearcoatNormal, material, reflectedLight );
#endif
#if defined( RE_IndirectSpecular )
	RE_IndirectSpecular( radiance, iblIrradiance, clearcoatRadiance, geometryPosition, geometryNormal, geometryViewDir, geometryClearcoatNormal, material, reflectedLight );
#endif`,R_=`#if defined( USE_LOGDEPTHBUF )
	gl_FragDepth = vIsPerspective == 0.0 ? gl_FragCoord.z : log2( vFragDepth ) * logDepthBufFC * 0.5;
#endif`,C_=`#if defined( USE_LOGDEPTHBUF )
	uniform float logDepthBufFC;
	varying float vFragDepth;
	varying float vIsPerspective;
#endif`,P_=`#ifdef USE_LOGDEPTHBUF
	varying float vFragDepth;
	varying float vIsPerspective;
#endif`,L_=`#ifdef USE_LOGDEPTHBUF
	vFragDepth = 1.0 + gl_Position.w;
	vIsPerspective = float( isPerspectiveMatrix( projectionMatrix ) );
#endif`,D_=`#ifdef USE_MAP
	vec4 sampledDiffuseColor = texture2D( map, vMapUv );
	#ifdef DECODE_VIDEO_TEXTURE
		sampledDiffuseColor = vec4( mix( pow( sampledDiffuseColor.rgb * 0.9478672986 + vec3( 0.0521327014 ), vec3( 2.4 ) ), sampledDiffuseColor.rgb * 0.0773993808, vec3( lessThanEqual( sampledDiffuseColor.rgb, vec3( 0.04045 ) ) ) ), sampledDiffuseColor.w );
	
	#endif
	diffuseColor *= sampledDiffuseColor;
#endif`,U_=`#ifdef USE_MAP
	uniform sampler2D map;
#endif`,I_=`#if defined( USE_MAP ) || defined( USE_ALPHAMAP )
	#if defined( USE_POINTS_UV )
		vec2 uv = vUv;
	#else
		vec2 uv = ( uvTransform * vec3( gl_PointCoord.x, 1.0 - gl_PointCoord.y, 1 ) ).xy;
	#endif
#endif
#ifdef USE_MAP
	diffuseColor *= texture2D( map, uv );
#endif
#ifdef USE_ALPHAMAP
	diffuseColor.a *= texture2D( alphaMap, uv ).g;
#endif`,N_=`#if defined( USE_POINTS_UV )
	varying vec2 vUv;
#else
	#if defined( USE_MAP ) || defined( USE_ALPHAMAP )
		uniform mat3 uvTransform;
	#endif
#endif
#ifdef USE_MAP
	uniform sampler2D map;
#endif
#ifdef USE_ALPHAMAP
	uniform sampler2D alphaMap;
#endif`,O_=`float metalnessFactor = metalness;
#ifdef USE_METALNESSMAP
	vec4 texelMetalness = texture2D( metalnessMap, vMetalnessMapUv );
	metalnessFactor *= texelMetalness.b;
#endif`,F_=`#ifdef USE_METALNESSMAP
	uniform sampler2D metalnessMap;
#endif`,k_=`#ifdef USE_INSTANCING_MORPH
	float morphTargetInfluences[MORPHTARGETS_COUNT];
	float morphTargetBaseInfluence = texelFetch( morphTexture, ivec2( 0, gl_InstanceID ), 0 ).r;
	for ( int i = 0; i < MORPHTARGETS_COUNT; i ++ ) {
		morphTargetInfluences[i] =  texelFetch( morphTexture, ivec2( i + 1, gl_InstanceID ), 0 ).r;
	}
#endif`,B_=`#if defined( USE_MORPHCOLORS ) && defined( MORPHTARGETS_TEXTURE )
	vColor *= morphTargetBaseInfluence;
	for ( int i = 0; i < MORPHTARGETS_COUNT; i ++ ) {
		#if defined( USE_COLOR_ALPHA )
			if ( morphTargetInfluences[ i ] != 0.0 ) vColor += getMorph( gl_VertexID, i, 2 ) * morphTargetInfluences[ i ];
		#elif defined( USE_COLOR )
			if ( morphTargetInfluences[ i ] != 0.0 ) vColor += getMorph( gl_VertexID, i, 2 ).rgb * morphTargetInfluences[ i ];
		#endif
	}
#endif`,z_=`#ifdef USE_MORPHNORMALS
	objectNormal *= morphTargetBaseInfluence;
	#ifdef MORPHTARGETS_TEXTURE
		for ( int i = 0; i < MORPHTARGETS_COUNT; i ++ ) {
			if ( morphTargetInfluences[ i ] != 0.0 ) objectNormal += getMorph( gl_VertexID, i, 1 ).xyz * morphTargetInfluences[ i ];
		}
	#else
		objectNormal += morphNormal0 * morphTargetInfluences[ 0 ];
		objectNormal += morphNormal1 * morphTargetInfluences[ 1 ];
		objectNormal += morphNormal2 * morphTargetInfluences[ 2 ];
		objectNormal += morphNormal3 * morphTargetInfluences[ 3 ];
	#endif
#endif`,H_=`#ifdef USE_MORPHTARGETS
	#ifndef USE_INSTANCING_MORPH
		uniform float morphTargetBaseInfluence;
	#endif
	#ifdef MORPHTARGETS_TEXTURE
		#ifndef USE_INSTANCING_MORPH
			uniform float morphTargetInfluences[ MORPHTARGETS_COUNT ];
		#endif
		uniform sampler2DArray morphTargetsTexture;
		uniform ivec2 morphTargetsTextureSize;
		vec4 getMorph( const in int vertexIndex, const in int morphTargetIndex, const in int offset ) {
			int texelIndex = vertexIndex * MORPHTARGETS_TEXTURE_STRIDE + offset;
			int y = texelIndex / morphTargetsTextureSize.x;
			int x = texelIndex - y * morphTargetsTextureSize.x;
			ivec3 morphUV = ivec3( x, y, morphTargetIndex );
			return texelFetch( morphTargetsTexture, morphUV, 0 );
		}
	#else
		#ifndef USE_MORPHNORMALS
			uniform float morphTargetInfluences[ 8 ];
		#else
			uniform float morphTargetInfluences[ 4 ];
		#endif
	#endif
#endif`,V_=`#ifdef USE_MORPHTARGETS
	transformed *= morphTargetBaseInfluence;
	#ifdef MORPHTARGETS_TEXTURE
		for ( int i = 0; i < MORPHTARGETS_COUNT; i ++ ) {
			if ( morphTargetInfluences[ i ] != 0.0 ) transformed += getMorph( gl_VertexID, i, 0 ).xyz * morphTargetInfluences[ i ];
		}
	#else
		transformed += morphTarget0 * morphTargetInfluences[ 0 ];
		transformed += morphTarget1 * morphTargetInfluences[ 1 ];
		transformed += morphTarget2 * morphTargetInfluences[ 2 ];
		transformed += morphTarget3 * morphTargetInfluences[ 3 ];
		#ifndef USE_MORPHNORMALS
			transformed += morphTarget4 * morphTargetInfluences[ 4 ];
			transformed += morphTarget5 * morphTargetInfluences[ 5 ];
			transformed += morphTarget6 * morphTargetInfluences[ 6 ];
			transformed += morphTarget7 * morphTargetInfluences[ 7 ];
		#endif
	#endif
#endif`,G_=`float faceDirection = gl_FrontFacing ? 1.0 : - 1.0;
#ifdef FLAT_SHADED
	vec3 fdx = dFdx( vViewPosition );
	vec3 fdy = dFdy( vViewPosition );
	vec3 normal = normalize( cross( fdx, fdy ) );
#else
	vec3 normal = normalize( vNormal );
	#ifdef DOUBLE_SIDED
		normal *= faceDirection;
	#endif
#endif
#if defined( USE_NORMALMAP_TANGENTSPACE ) || defined( USE_CLEARCOAT_NORMALMAP ) || defined( USE_ANISOTROPY )
	#ifdef USE_TANGENT
		mat3 tbn = mat3( normalize( vTangent ), normalize( vBitangent ), normal );
	#else
		mat3 tbn = getTangentFrame( - vViewPosition, normal,
		#if defined( USE_NORMALMAP )
			vNormalMapUv
		#elif defined( USE_CLEARCOAT_NORMALMAP )
			vClearcoatNormalMapUv
		#else
			vUv
		#endif
		);
	#endif
	#if defined( DOUBLE_SIDED ) && ! defined( FLAT_SHADED )
		tbn[0] *= faceDirection;
		tbn[1] *= faceDirection;
	#endif
#endif
#ifdef USE_CLEARCOAT_NORMALMAP
	#ifdef USE_TANGENT
		mat3 tbn2 = mat3( normalize( vTangent ), normalize( vBitangent ), normal );
	#else
		mat3 tbn2 = getTangentFrame( - vViewPosition, normal, vClearcoatNormalMapUv );
	#endif
	#if defined( DOUBLE_SIDED ) && ! defined( FLAT_SHADED )
		tbn2[0] *= faceDirection;
		tbn2[1] *= faceDirection;
	#endif
#endif
vec3 nonPerturbedNormal = normal;`,W_=`#ifdef USE_NORMALMAP_OBJECTSPACE
	normal = texture2D( normalMap, vNormalMapUv ).xyz * 2.0 - 1.0;
	#ifdef FLIP_SIDED
		normal = - normal;
	#endif
	#ifdef DOUBLE_SIDED
		normal = normal * faceDirection;
	#endif
	normal = normalize( normalMatrix * normal );
#elif defined( USE_NORMALMAP_TANGENTSPACE )
	vec3 mapN = texture2D( normalMap, vNormalMapUv ).xyz * 2.0 - 1.0;
	mapN.xy *= normalScale;
	normal = normalize( tbn * mapN );
#elif defined( USE_BUMPMAP )
	normal = perturbNormalArb( - vViewPosition, normal, dHdxy_fwd(), faceDirection );
#endif`,X_=`#ifndef FLAT_SHADED
	varying vec3 vNormal;
	#ifdef USE_TANGENT
		varying vec3 vTangent;
		varying vec3 vBitangent;
	#endif
#endif`,$_=`#ifndef FLAT_SHADED
	varying vec3 vNormal;
	#ifdef USE_TANGENT
		varying vec3 vTangent;
		varying vec3 vBitangent;
	#endif
#endif`,Y_=`#ifndef FLAT_SHADED
	vNormal = normalize( transformedNormal );
	#ifdef USE_TANGENT
		vTangent = normalize( transformedTangent );
		vBitangent = normalize( cross( vNormal, vTangent ) * tangent.w );
	#endif
#endif`,q_=`#ifdef USE_NORMALMAP
	uniform sampler2D normalMap;
	uniform vec2 normalScale;
#endif
#ifdef USE_NORMALMAP_OBJECTSPACE
	uniform mat3 normalMatrix;
#endif
#if ! defined ( USE_TANGENT ) && ( defined ( USE_NORMALMAP_TANGENTSPACE ) || defined ( USE_CLEARCOAT_NORMALMAP ) || defined( USE_ANISOTROPY ) )
	mat3 getTangentFrame( vec3 eye_pos, vec3 surf_norm, vec2 uv ) {
		vec3 q0 = dFdx( eye_pos.xyz );
		vec3 q1 = dFdy( eye_pos.xyz );
		vec2 st0 = dFdx( uv.st );
		vec2 st1 = dFdy( uv.st );
		vec3 N = surf_norm;
		vec3 q1perp = cross( q1, N );
		vec3 q0perp = cross( N, q0 );
		vec3 T = q1perp * st0.x + q0perp * st1.x;
		vec3 B = q1perp * st0.y + q0perp * st1.y;
		float det = max( dot( T, T ), dot( B, B ) );
		float scale = ( det == 0.0 ) ? 0.0 : inversesqrt( det );
		return mat3( T * scale, B * scale, N );
	}
#endif`,j_=`#ifdef USE_CLEARCOAT
	vec3 clearcoatNormal = nonPerturbedNormal;
#endif`,K_=`#ifdef USE_CLEARCOAT_NORMALMAP
	vec3 clearcoatMapN = texture2D( clearcoatNormalMap, vClearcoatNormalMapUv ).xyz * 2.0 - 1.0;
	clearcoatMapN.xy *= clearcoatNormalScale;
	clearcoatNormal = normalize( tbn2 * clearcoatMapN );
#endif`,Z_=`#ifdef USE_CLEARCOATMAP
	uniform sampler2D clearcoatMap;
#endif
#ifdef USE_CLEARCOAT_NORMALMAP
	uniform sampler2D clearcoatNormalMap;
	uniform vec2 clearcoatNormalScale;
#endif
#ifdef USE_CLEARCOAT_ROUGHNESSMAP
	uniform sampler2D clearcoatRoughnessMap;
#endif`,J_=`#ifdef USE_IRIDESCENCEMAP
	uniform sampler2D iridescenceMap;
#endif
#ifdef USE_IRIDESCENCE_THICKNESSMAP
	uniform sampler2D iridescenceThicknessMap;
#endif`,Q_=`#ifdef OPAQUE
diffuseColor.a = 1.0;
#endif
#ifdef USE_TRANSMISSION
diffuseColor.a *= material.transmissionAlpha;
#endif
gl_FragColor = vec4( outgoingLight, diffuseColor.a );`,e0=`vec3 packNormalToRGB( const in vec3 normal ) {
	return normalize( normal ) * 0.5 + 0.5;
}
vec3 unpackRGBToNormal( const in vec3 rgb ) {
	return 2.0 * rgb.xyz - 1.0;
}
const float PackUpscale = 256. / 255.;const float UnpackDownscale = 255. / 256.;
const vec3 PackFactors = vec3( 256. * 256. * 256., 256. * 256., 256. );
const vec4 UnpackFactors = UnpackDownscale / vec4( PackFactors, 1. );
const float ShiftRight8 = 1. / 256.;
vec4 packDepthToRGBA( const in float v ) {
	vec4 r = vec4( fract( v * PackFactors ), v );
	r.yzw -= r.xyz * ShiftRight8;	return r * PackUpscale;
}
float unpackRGBAToDepth( const in vec4 v ) {
	return dot( v, UnpackFactors );
}
vec2 packDepthToRG( in highp float v ) {
	return packDepthToRGBA( v ).yx;
}
float unpackRGToDepth( const in highp vec2 v ) {
	return unpackRGBAToDepth( vec4( v.xy, 0.0, 0.0 ) );
}
vec4 pack2HalfToRGBA( vec2 v ) {
	vec4 r = vec4( v.x, fract( v.x * 255.0 ), v.y, fract( v.y * 255.0 ) );
	return vec4( r.x - r.y / 255.0, r.y, r.z - r.w / 255.0, r.w );
}
vec2 unpackRGBATo2Half( vec4 v ) {
	return vec2( v.x + ( v.y / 255.0 ), v.z + ( v.w / 255.0 ) );
}
float viewZToOrthographicDepth( const in float viewZ, const in float near, const in float far ) {
	return ( viewZ + near ) / ( near - far );
}
float orthographicDepthToViewZ( const in float depth, const in float near, const in float far ) {
	return depth * ( near - far ) - near;
}
float viewZToPerspectiveDepth( const in float viewZ, const in float near, const in float far ) {
	return ( ( near + viewZ ) * far ) / ( ( far - near ) * viewZ );
}
float perspectiveDepthToViewZ( const in float depth, const in float near, const in float far ) {
	return ( near * far ) / ( ( far - near ) * depth - far );
}`,t0=`#ifdef PREMULTIPLIED_ALPHA
	gl_FragColor.rgb *= gl_FragColor.a;
#endif`,n0=`vec4 mvPosition = vec4( transformed, 1.0 );
#ifdef USE_BATCHING
	mvPosition = batchingMatrix * mvPosition;
#endif
#ifdef USE_INSTANCING
	mvPosition = instanceMatrix * mvPosition;
#endif
mvPosition = modelViewMatrix * mvPosition;
gl_Position = projectionMatrix * mvPosition;`,i0=`#ifdef DITHERING
	gl_FragColor.rgb = dithering( gl_FragColor.rgb );
#endif`,s0=`#ifdef DITHERING
	vec3 dithering( vec3 color ) {
		float grid_position = rand( gl_FragCoord.xy );
		vec3 dither_shift_RGB = vec3( 0.25 / 255.0, -0.25 / 255.0, 0.25 / 255.0 );
		dither_shift_RGB = mix( 2.0 * dither_shift_RGB, -2.0 * dither_shift_RGB, grid_position );
		return color + dither_shift_RGB;
	}
#endif`,r0=`float roughnessFactor = roughness;
#ifdef USE_ROUGHNESSMAP
	vec4 texelRoughness = texture2D( roughnessMap, vRoughnessMapUv );
	roughnessFactor *= texelRoughness.g;
#endif`,o0=`#ifdef USE_ROUGHNESSMAP
	uniform sampler2D roughnessMap;
#endif`,a0=`#if NUM_SPOT_LIGHT_COORDS > 0
	varying vec4 vSpotLightCoord[ NUM_SPOT_LIGHT_COORDS ];
#endif
#if NUM_SPOT_LIGHT_MAPS > 0
	uniform sampler2D spotLightMap[ NUM_SPOT_LIGHT_MAPS ];
#endif
#ifdef USE_SHADOWMAP
	#if NUM_DIR_LIGHT_SHADOWS > 0
		uniform sampler2D directionalShadowMap[ NUM_DIR_LIGHT_SHADOWS ];
		varying vec4 vDirectionalShadowCoord[ NUM_DIR_LIGHT_SHADOWS ];
		struct DirectionalLightShadow {
			float shadowBias;
			float shadowNormalBias;
			float shadowRadius;
			vec2 shadowMapSize;
		};
		uniform DirectionalLightShadow directionalLightShadows[ NUM_DIR_LIGHT_SHADOWS ];
	#endif
	#if NUM_SPOT_LIGHT_SHADOWS > 0
		uniform sampler2D spotShadowMap[ NUM_SPOT_LIGHT_SHADOWS ];
		struct SpotLightShadow {
			float shadowBias;
			float shadowNormalBias;
			float shadowRadius;
			vec2 shadowMapSize;
		};
		uniform SpotLightShadow spotLightShadows[ NUM_SPOT_LIGHT_SHADOWS ];
	#endif
	#if NUM_POINT_LIGHT_SHADOWS > 0
		uniform sampler2D pointShadowMap[ NUM_POINT_LIGHT_SHADOWS ];
		varying vec4 vPointShadowCoord[ NUM_POINT_LIGHT_SHADOWS ];
		struct PointLightShadow {
			float shadowBias;
			float shadowNormalBias;
			float shadowRadius;
			vec2 shadowMapSize;
			float shadowCameraNear;
			float shadowCameraFar;
		};
		uniform PointLightShadow pointLightShadows[ NUM_POINT_LIGHT_SHADOWS ];
	#endif
	float texture2DCompare( sampler2D depths, vec2 uv, float compare ) {
		return step( compare, unpackRGBAToDepth( texture2D( depths, uv ) ) );
	}
	vec2 texture2DDistribution( sampler2D shadow, vec2 uv ) {
		return unpackRGBATo2Half( texture2D( shadow, uv ) );
	}
	float VSMShadow (sampler2D shadow, vec2 uv, float compare ){
		float occlusion = 1.0;
		vec2 distribution = texture2DDistribution( shadow, uv );
		float hard_shadow = step( compare , distribution.x );
		if (hard_shadow != 1.0 ) {
			float distance = compare - distribution.x ;
			float variance = max( 0.00000, distribution.y * distribution.y );
			float softness_probability = variance / (variance + distance * distance );			softness_probability = clamp( ( softness_probability - 0.3 ) / ( 0.95 - 0.3 ), 0.0, 1.0 );			occlusion = clamp( max( hard_shadow, softness_probability ), 0.0, 1.0 );
		}
		return occlusion;
	}
	float getShadow( sampler2D shadowMap, vec2 shadowMapSize, float shadowBias, float shadowRadius, vec4 shadowCoord ) {
		float shadow = 1.0;
		shadowCoord.xyz /= shadowCoord.w;
		shadowCoord.z += shadowBias;
		bool inFrustum = shadowCoord.x >= 0.0 && shadowCoord.x <= 1.0 && shadowCoord.y >= 0.0 && shadowCoord.y <= 1.0;
		bool frustumTest = inFrustum && shadowCoord.z <= 1.0;
		if ( frustumTest ) {
		#if defined( SHADOWMAP_TYPE_PCF )
			vec2 texelSize = vec2( 1.0 ) / shadowMapSize;
			float dx0 = - texelSize.x * shadowRadius;
			float dy0 = - texelSize.y * shadowRadius;
			float dx1 = + texelSize.x * shadowRadius;
			float dy1 = + texelSize.y * shadowRadius;
			float dx2 = dx0 / 2.0;
			float dy2 = dy0 / 2.0;
			float dx3 = dx1 / 2.0;
			float dy3 = dy1 / 2.0;
			shadow = (
				texture2DCompare( shadowMap, shadowCoord.xy + vec2( dx0, dy0 ), shadowCoord.z ) +
				texture2DCompare( shadowMap, shadowCoord.xy + vec2( 0.0, dy0 ), shadowCoord.z ) +
				texture2DCompare( shadowMap, shadowCoord.xy + vec2( dx1, dy0 ), shadowCoord.z ) +
				texture2DCompare( shadowMap, shadowCoord.xy + vec2( dx2, dy2 ), shadowCoord.z ) +
				texture2DCompare( shadowMap, shadowCoord.xy + vec2( 0.0, dy2 ), shadowCoord.z ) +
				texture2DCompare( shadowMap, shadowCoord.xy + vec2( dx3, dy2 ), shadowCoord.z ) +
				texture2DCompare( shadowMap, shadowCoord.xy + vec2( dx0, 0.0 ), shadowCoord.z ) +
				texture2DCompare( shadowMap, shadowCoord.xy + vec2( dx2, 0.0 ), shadowCoord.z ) +
				texture2DCompare( shadowMap, shadowCoord.xy, shadowCoord.z ) +
				texture2DCompare( shadowMap, shadowCoord.xy + vec2( dx3, 0.0 ), shadowCoord.z ) +
				texture2DCompare( shadowMap, shadowCoord.xy + vec2( dx1, 0.0 ), shadowCoord.z ) +
				texture2DCompare( shadowMap, shadowCoord.xy + vec2( dx2, dy3 ), shadowCoord.z ) +
				texture2DCompare( shadowMap, shadowCoord.xy + vec2( 0.0, dy3 ), shadowCoord.z ) +
				texture2DCompare( shadowMap, shadowCoord.xy + vec2( dx3, dy3 ), shadowCoord.z ) +
				texture2DCompare( shadowMap, shadowCoord.xy + vec2( dx0, dy1 ), shadowCoord.z ) +
				texture2DCompare( shadowMap, shadowCoord.xy + vec2( 0.0, dy1 ), shadowCoord.z ) +
				texture2DCompare( shadowMap, shadowCoord.xy + vec2( dx1, dy1 ), shadowCoord.z )
			) * ( 1.0 / 17.0 );
		#elif defined( SHADOWMAP_TYPE_PCF_SOFT )
			vec2 texelSize = vec2( 1.0 ) / shadowMapSize;
			float dx = texelSize.x;
			float dy = texelSize.y;
			vec2 uv = shadowCoord.xy;
			vec2 f = fract( uv * shadowMapSize + 0.5 );
			uv -= f * texelSize;
			shadow = (
				texture2DCompare( shadowMap, uv, shadowCoord.z ) +
				texture2DCompare( shadowMap, uv + vec2( dx, 0.0 ), shadowCoord.z ) +
				texture2DCompare( shadowMap, uv + vec2( 0.0, dy ), shadowCoord.z ) +
				texture2DCompare( shadowMap, uv + texelSize, shadowCoord.z ) +
				mix( texture2DCompare( shadowMap, uv + vec2( -dx, 0.0 ), shadowCoord.z ),
					 texture2DCompare( shadowMap, uv + vec2( 2.0 * dx, 0.0 ), shadowCoord.z ),
					 f.x ) +
				mix( texture2DCompare( shadowMap, uv + vec2( -dx, dy ), shadowCoord.z ),
					 texture2DCompare( shadowMap, uv + vec2( 2.0 * dx, dy ), shadowCoord.z ),
					 f.x ) +
				mix( texture2DCompare( shadowMap, uv + vec2( 0.0, -dy ), shadowCoord.z ),
					 texture2DCompare( shadowMap, uv + vec2( 0.0, 2.0 * dy ), shadowCoord.z ),
					 f.y ) +
				mix( texture2DCompare( shadowMap, uv + vec2( dx, -dy ), shadowCoord.z ),
					 texture2DCompare( shadowMap, uv + vec2( dx, 2.0 * dy ), shadowCoord.z ),
					 f.y ) +
				mix( mix( texture2DCompare( shadowMap, uv + vec2( -dx, -dy ), shadowCoord.z ),
						  texture2DCompare( shadowMap, uv + vec2( 2.0 * dx, -dy ), shadowCoord.z ),
						  f.x ),
					 mix( texture2DCompare( shadowMap, uv + vec2( -dx, 2.0 * dy ), shadowCoord.z ),
						  texture2DCompare( shadowMap, uv + vec2( 2.0 * dx, 2.0 * dy ), shadowCoord.z ),
						  f.x ),
					 f.y )
			) * ( 1.0 / 9.0 );
		#elif defined( SHADOWMAP_TYPE_VSM )
			shadow = VSMShadow( shadowMap, shadowCoord.xy, shadowCoord.z );
		#else
			shadow = texture2DCompare( shadowMap, shadowCoord.xy, shadowCoord.z );
		#endif
		}
		return shadow;
	}
	vec2 cubeToUV( vec3 v, float texelSizeY ) {
		vec3 absV = abs( v );
		float scaleToCube = 1.0 / max( absV.x, max( absV.y, absV.z ) );
		absV *= scaleToCube;
		v *= scaleToCube * ( 1.0 - 2.0 * texelSizeY );
		vec2 planar = v.xy;
		float almostATexel = 1.5 * texelSizeY;
		float almostOne = 1.0 - almostATexel;
		if ( absV.z >= almostOne ) {
			if ( v.z > 0.0 )
				planar.x = 4.0 - v.x;
		} else if ( absV.x >= almostOne ) {
			float signX = sign( v.x );
			planar.x = v.z * signX + 2.0 * signX;
		} else if ( absV.y >= almostOne ) {
			float signY = sign( v.y );
			planar.x = v.x + 2.0 * signY + 2.0;
			planar.y = v.z * signY - 2.0;
		}
		return vec2( 0.125, 0.25 ) * planar + vec2( 0.375, 0.75 );
	}
	float getPointShadow( sampler2D shadowMap, vec2 shadowMapSize, float shadowBias, float shadowRadius, vec4 shadowCoord, float shadowCameraNear, float shadowCameraFar ) {
		float shadow = 1.0;
		vec3 lightToPosition = shadowCoord.xyz;
		
		float lightToPositionLength = length( lightToPosition );
		if ( lightToPositionLength - shadowCameraFar <= 0.0 && lightToPositionLength - shadowCameraNear >= 0.0 ) {
			float dp = ( lightToPositionLength - shadowCameraNear ) / ( shadowCameraFar - shadowCameraNear );			dp += shadowBias;
			vec3 bd3D = normalize( lightToPosition );
			vec2 texelSize = vec2( 1.0 ) / ( shadowMapSize * vec2( 4.0, 2.0 ) );
			#if defined( SHADOWMAP_TYPE_PCF ) || defined( SHADOWMAP_TYPE_PCF_SOFT ) || defined( SHADOWMAP_TYPE_VSM )
				vec2 offset = vec2( - 1, 1 ) * shadowRadius * texelSize.y;
				shadow = (
					texture2DCompare( shadowMap, cubeToUV( bd3D + offset.xyy, texelSize.y ), dp ) +
					texture2DCompare( shadowMap, cubeToUV( bd3D + offset.yyy, texelSize.y ), dp ) +
					texture2DCompare( shadowMap, cubeToUV( bd3D + offset.xyx, texelSize.y ), dp ) +
					texture2DCompare( shadowMap, cubeToUV( bd3D + offset.yyx, texelSize.y ), dp ) +
					texture2DCompare( shadowMap, cubeToUV( bd3D, texelSize.y ), dp ) +
					texture2DCompare( shadowMap, cubeToUV( bd3D + offset.xxy, texelSize.y ), dp ) +
					texture2DCompare( shadowMap, cubeToUV( bd3D + offset.yxy, texelSize.y ), dp ) +
					texture2DCompare( shadowMap, cubeToUV( bd3D + offset.xxx, texelSize.y ), dp ) +
					texture2DCompare( shadowMap, cubeToUV( bd3D + offset.yxx, texelSize.y ), dp )
				) * ( 1.0 / 9.0 );
			#else
				shadow = texture2DCompare( shadowMap, cubeToUV( bd3D, texelSize.y ), dp );
			#endif
		}
		return shadow;
	}
#endif`,l0=`#if NUM_SPOT_LIGHT_COORDS > 0
	uniform mat4 spotLightMatrix[ NUM_SPOT_LIGHT_COORDS ];
	varying vec4 vSpotLightCoord[ NUM_SPOT_LIGHT_COORDS ];
#endif
#ifdef USE_SHADOWMAP
	#if NUM_DIR_LIGHT_SHADOWS > 0
		uniform mat4 directionalShadowMatrix[ NUM_DIR_LIGHT_SHADOWS ];
		varying vec4 vDirectionalShadowCoord[ NUM_DIR_LIGHT_SHADOWS ];
		struct DirectionalLightShadow {
			float shadowBias;
			float shadowNormalBias;
			float shadowRadius;
			vec2 shadowMapSize;
		};
		uniform DirectionalLightShadow directionalLightShadows[ NUM_DIR_LIGHT_SHADOWS ];
	#endif
	#if NUM_SPOT_LIGHT_SHADOWS > 0
		struct SpotLightShadow {
			float shadowBias;
			float shadowNormalBias;
			float shadowRadius;
			vec2 shadowMapSize;
		};
		uniform SpotLightShadow spotLightShadows[ NUM_SPOT_LIGHT_SHADOWS ];
	#endif
	#if NUM_POINT_LIGHT_SHADOWS > 0
		uniform mat4 pointShadowMatrix[ NUM_POINT_LIGHT_SHADOWS ];
		varying vec4 vPointShadowCoord[ NUM_POINT_LIGHT_SHADOWS ];
		struct PointLightShadow {
			float shadowBias;
			float shadowNormalBias;
			float shadowRadius;
			vec2 shadowMapSize;
			float shadowCameraNear;
			float shadowCameraFar;
		};
		uniform PointLightShadow pointLightShadows[ NUM_POINT_LIGHT_SHADOWS ];
	#endif
#endif`,c0=`#if ( defined( USE_SHADOWMAP ) && ( NUM_DIR_LIGHT_SHADOWS > 0 || NUM_POINT_LIGHT_SHADOWS > 0 ) ) || ( NUM_SPOT_LIGHT_COORDS > 0 )
	vec3 shadowWorldNormal = inverseTransformDirection( transformedNormal, viewMatrix );
	vec4 shadowWorldPosition;
#endif
#if defined( USE_SHADOWMAP )
	#if NUM_DIR_LIGHT_SHADOWS > 0
		#pragma unroll_loop_start
		for ( int i = 0; i < NUM_DIR_LIGHT_SHADOWS; i ++ ) {
			shadowWorldPosition = worldPosition + vec4( shadowWorldNormal * directionalLightShadows[ i ].shadowNormalBias, 0 );
			vDirectionalShadowCoord[ i ] = directionalShadowMatrix[ i ] * shadowWorldPosition;
		}
		#pragma unroll_loop_end
	#endif
	#if NUM_POINT_LIGHT_SHADOWS > 0
		#pragma unroll_loop_start
		for ( int i = 0; i < NUM_POINT_LIGHT_SHADOWS; i ++ ) {
			shadowWorldPosition = worldPosition + vec4( shadowWorldNormal * pointLightShadows[ i ].shadowNormalBias, 0 );
			vPointShadowCoord[ i ] = pointShadowMatrix[ i ] * shadowWorldPosition;
		}
		#pragma unroll_loop_end
	#endif
#endif
#if NUM_SPOT_LIGHT_COORDS > 0
	#pragma unroll_loop_start
	for ( int i = 0; i < NUM_SPOT_LIGHT_COORDS; i ++ ) {
		shadowWorldPosition = worldPosition;
		#if ( defined( USE_SHADOWMAP ) && UNROLLED_LOOP_INDEX < NUM_SPOT_LIGHT_SHADOWS )
			shadowWorldPosition.xyz += shadowWorldNormal * spotLightShadows[ i ].shadowNormalBias;
		#endif
		vSpotLightCoord[ i ] = spotLightMatrix[ i ] * shadowWorldPosition;
	}
	#pragma unroll_loop_end
#endif`,u0=`float getShadowMask() {
	float shadow = 1.0;
	#ifdef USE_SHADOWMAP
	#if NUM_DIR_LIGHT_SHADOWS > 0
	DirectionalLightShadow directionalLight;
	#pragma unroll_loop_start
	for ( int i = 0; i < NUM_DIR_LIGHT_SHADOWS; i ++ ) {
		directionalLight = directionalLightShadows[ i ];
		shadow *= receiveShadow ? getShadow( directionalShadowMap[ i ], directionalLight.shadowMapSize, directionalLight.shadowBias, directionalLight.shadowRadius, vDirectionalShadowCoord[ i ] ) : 1.0;
	}
	#pragma unroll_loop_end
	#endif
	#if NUM_SPOT_LIGHT_SHADOWS > 0
	SpotLightShadow spotLight;
	#pragma unroll_loop_start
	for ( int i = 0; i < NUM_SPOT_LIGHT_SHADOWS; i ++ ) {
		spotLight = spotLightShadows[ i ];
		shadow *= receiveShadow ? getShadow( spotShadowMap[ i ], spotLight.shadowMapSize, spotLight.shadowBias, spotLight.shadowRadius, vSpotLightCoord[ i ] ) : 1.0;
	}
	#pragma unroll_loop_end
	#endif
	#if NUM_POINT_LIGHT_SHADOWS > 0
	PointLightShadow pointLight;
	#pragma unroll_loop_start
	for ( int i = 0; i < NUM_POINT_LIGHT_SHADOWS; i ++ ) {
		pointLight = pointLightShadows[ i ];
		shadow *= receiveShadow ? getPointShadow( pointShadowMap[ i ], pointLight.shadowMapSize, pointLight.shadowBias, pointLight.shadowRadius, vPointShadowCoord[ i ], pointLight.shadowCameraNear, pointLight.shadowCameraFar ) : 1.0;
	}
	#pragma unroll_loop_end
	#endif
	#endif
	return shadow;
}`,h0=`#ifdef USE_SKINNING
	mat4 boneMatX = getBoneMatrix( skinIndex.x );
	mat4 boneMatY = getBoneMatrix( skinIndex.y );
	mat4 boneMatZ = getBoneMatrix( skinIndex.z );
	mat4 boneMatW = getBoneMatrix( skinIndex.w );
#endif`,f0=`#ifdef USE_SKINNING
	uniform mat4 bindMatrix;
	uniform mat4 bindMatrixInverse;
	uniform highp sampler2D boneTexture;
	mat4 getBoneMatrix( const in float i ) {
		int size = textureSize( boneTexture, 0 ).x;
		int j = int( i ) * 4;
		int x = j % size;
		int y = j / size;
		vec4 v1 = texelFetch( boneTexture, ivec2( x, y ), 0 );
		vec4 v2 = texelFetch( boneTexture, ivec2( x + 1, y ), 0 );
		vec4 v3 = texelFetch( boneTexture, ivec2( x + 2, y ), 0 );
		vec4 v4 = texelFetch( boneTexture, ivec2( x + 3, y ), 0 );
		return mat4( v1, v2, v3, v4 );
	}
#endif`,d0=`#ifdef USE_SKINNING
	vec4 skinVertex = bindMatrix * vec4( transformed, 1.0 );
	vec4 skinned = vec4( 0.0 );
	skinned += boneMatX * skinVertex * skinWeight.x;
	skinned += boneMatY * skinVertex * skinWeight.y;
	skinned += boneMatZ * skinVertex * skinWeight.z;
	skinned += boneMatW * skinVertex * skinWeight.w;
	transformed = ( bindMatrixInverse * skinned ).xyz;
#endif`,p0=`#ifdef USE_SKINNING
	mat4 skinMatrix = mat4( 0.0 );
	skinMatrix += skinWeight.x * boneMatX;
	skinMatrix += skinWeight.y * boneMatY;
	skinMatrix += skinWeight.z * boneMatZ;
	skinMatrix += skinWeight.w * boneMatW;
	skinMatrix = bindMatrixInverse * skinMatrix * bindMatrix;
	objectNormal = vec4( skinMatrix * vec4( objectNormal, 0.0 ) ).xyz;
	#ifdef USE_TANGENT
		objectTangent = vec4( skinMatrix * vec4( objectTangent, 0.0 ) ).xyz;
	#endif
#endif`,m0=`float specularStrength;
#ifdef USE_SPECULARMAP
	vec4 texelSpecular = texture2D( specularMap, vSpecularMapUv );
	specularStrength = texelSpecular.r;
#else
	specularStrength = 1.0;
#endif`,g0=`#ifdef USE_SPECULARMAP
	uniform sampler2D specularMap;
#endif`,_0=`#if defined( TONE_MAPPING )
	gl_FragColor.rgb = toneMapping( gl_FragColor.rgb );
#endif`,v0=`#ifndef saturate
#define saturate( a ) clamp( a, 0.0, 1.0 )
#endif
uniform float toneMappingExposure;
vec3 LinearToneMapping( vec3 color ) {
	return saturate( toneMappingExposure * color );
}
vec3 ReinhardToneMapping( vec3 color ) {
	color *= toneMappingExposure;
	return saturate( color / ( vec3( 1.0 ) + color ) );
}
vec3 OptimizedCineonToneMapping( vec3 color ) {
	color *= toneMappingExposure;
	color = max( vec3( 0.0 ), color - 0.004 );
	return pow( ( color * ( 6.2 * color + 0.5 ) ) / ( color * ( 6.2 * color + 1.7 ) + 0.06 ), vec3( 2.2 ) );
}
vec3 RRTAndODTFit( vec3 v ) {
	vec3 a = v * ( v + 0.0245786 ) - 0.000090537;
	vec3 b = v * ( 0.983729 * v + 0.4329510 ) + 0.238081;
	return a / b;
}
vec3 ACESFilmicToneMapping( vec3 color ) {
	const mat3 ACESInputMat = mat3(
		vec3( 0.59719, 0.07600, 0.02840 ),		vec3( 0.35458, 0.90834, 0.13383 ),
		vec3( 0.04823, 0.01566, 0.83777 )
	);
	const mat3 ACESOutputMat = mat3(
		vec3(  1.60475, -0.10208, -0.00327 ),		vec3( -0.53108,  1.10813, -0.07276 ),
		vec3( -0.07367, -0.00605,  1.07602 )
	);
	color *= toneMappingExposure / 0.6;
	color = ACESInputMat * color;
	color = RRTAndODTFit( color );
	color = ACESOutputMat * color;
	return saturate( color );
}
const mat3 LINEAR_REC2020_TO_LINEAR_SRGB = mat3(
	vec3( 1.6605, - 0.1246, - 0.0182 ),
	vec3( - 0.5876, 1.1329, - 0.1006 ),
	vec3( - 0.0728, - 0.0083, 1.1187 )
);
const mat3 LINEAR_SRGB_TO_LINEAR_REC2020 = mat3(
	vec3( 0.6274, 0.0691, 0.0164 ),
	vec3( 0.3293, 0.9195, 0.0880 ),
	vec3( 0.0433, 0.0113, 0.8956 )
);
vec3 agxDefaultContrastApprox( vec3 x ) {
	vec3 x2 = x * x;
	vec3 x4 = x2 * x2;
	return + 15.5 * x4 * x2
		- 40.14 * x4 * x
		+ 31.96 * x4
		- 6.868 * x2 * x
		+ 0.4298 * x2
		+ 0.1191 * x
		- 0.00232;
}
vec3 AgXToneMapping( vec3 color ) {
	const mat3 AgXInsetMatrix = mat3(
		vec3( 0.856627153315983, 0.137318972929847, 0.11189821299995 ),
		vec3( 0.0951212405381588, 0.761241990602591, 0.0767994186031903 ),
		vec3( 0.0482516061458583, 0.101439036467562, 0.811302368396859 )
	);
	const mat3 AgXOutsetMatrix = mat3(
		vec3( 1.1271005818144368, - 0.1413297634984383, - 0.14132976349843826 ),
		vec3( - 0.11060664309660323, 1.157823702216272, - 0.11060664309660294 ),
		vec3( - 0.016493938717834573, - 0.016493938717834257, 1.2519364065950405 )
	);
	const float AgxMinEv = - 12.47393;	const float AgxMaxEv = 4.026069;
	color *= toneMappingExposure;
	color = LINEAR_SRGB_TO_LINEAR_REC2020 * color;
	color = AgXInsetMatrix * color;
	color = max( color, 1e-10 );	color = log2( color );
	color = ( color - AgxMinEv ) / ( AgxMaxEv - AgxMinEv );
	color = clamp( color, 0.0, 1.0 );
	color = agxDefaultContrastApprox( color );
	color = AgXOutsetMatrix * color;
	color = pow( max( vec3( 0.0 ), color ), vec3( 2.2 ) );
	color = LINEAR_REC2020_TO_LINEAR_SRGB * color;
	color = clamp( color, 0.0, 1.0 );
	return color;
}
vec3 NeutralToneMapping( vec3 color ) {
	const float StartCompression = 0.8 - 0.04;
	const float Desaturation = 0.15;
	color *= toneMappingExposure;
	float x = min( color.r, min( color.g, color.b ) );
	float offset = x < 0.08 ? x - 6.25 * x * x : 0.04;
	color -= offset;
	float peak = max( color.r, max( color.g, color.b ) );
	if ( peak < StartCompression ) return color;
	float d = 1. - StartCompression;
	float newPeak = 1. - d * d / ( peak + d - StartCompression );
	color *= newPeak / peak;
	float g = 1. - 1. / ( Desaturation * ( peak - newPeak ) + 1. );
	return mix( color, vec3( newPeak ), g );
}
vec3 CustomToneMapping( vec3 color ) { return color; }`,x0=`#ifdef USE_TRANSMISSION
	material.transmission = transmission;
	material.transmissionAlpha = 1.0;
	material.thickness = thickness;
	material.attenuationDistance = attenuationDistance;
	material.attenuationColor = attenuationColor;
	#ifdef USE_TRANSMISSIONMAP
		material.transmission *= texture2D( transmissionMap, vTransmissionMapUv ).r;
	#endif
	#ifdef USE_THICKNESSMAP
		material.thickness *= texture2D( thicknessMap, vThicknessMapUv ).g;
	#endif
	vec3 pos = vWorldPosition;
	vec3 v = normalize( cameraPosition - pos );
	vec3 n = inverseTransformDirection( normal, viewMatrix );
	vec4 transmitted = getIBLVolumeRefraction(
		n, v, material.roughness, material.diffuseColor, material.specularColor, material.specularF90,
		pos, modelMatrix, viewMatrix, projectionMatrix, material.dispersion, material.ior, material.thickness,
		material.attenuationColor, material.attenuationDistance );
	material.transmissionAlpha = mix( material.transmissionAlpha, transmitted.a, material.transmission );
	totalDiffuse = mix( totalDiffuse, transmitted.rgb, material.transmission );
#endif`,M0=`#ifdef USE_TRANSMISSION
	uniform float transmission;
	uniform float thickness;
	uniform float attenuationDistance;
	uniform vec3 attenuationColor;
	#ifdef USE_TRANSMISSIONMAP
		uniform sampler2D transmissionMap;
	#endif
	#ifdef USE_THICKNESSMAP
		uniform sampler2D thicknessMap;
	#endif
	uniform vec2 transmissionSamplerSize;
	uniform sampler2D transmissionSamplerMap;
	uniform mat4 modelMatrix;
	uniform mat4 projectionMatrix;
	varying vec3 vWorldPosition;
	float w0( float a ) {
		return ( 1.0 / 6.0 ) * ( a * ( a * ( - a + 3.0 ) - 3.0 ) + 1.0 );
	}
	float w1( float a ) {
		return ( 1.0 / 6.0 ) * ( a *  a * ( 3.0 * a - 6.0 ) + 4.0 );
	}
	float w2( float a ){
		return ( 1.0 / 6.0 ) * ( a * ( a * ( - 3.0 * a + 3.0 ) + 3.0 ) + 1.0 );
	}
	float w3( float a ) {
		return ( 1.0 / 6.0 ) * ( a * a * a );
	}
	float g0( float a ) {
		return w0( a ) + w1( a );
	}
	float g1( float a ) {
		return w2( a ) + w3( a );
	}
	float h0( float a ) {
		return - 1.0 + w1( a ) / ( w0( a ) + w1( a ) );
	}
	float h1( float a ) {
		return 1.0 + w3( a ) / ( w2( a ) + w3( a ) );
	}
	vec4 bicubic( sampler2D tex, vec2 uv, vec4 texelSize, float lod ) {
		uv = uv * texelSize.zw + 0.5;
		vec2 iuv = floor( uv );
		vec2 fuv = fract( uv );
		float g0x = g0( fuv.x );
		float g1x = g1( fuv.x );
		float h0x = h0( fuv.x );
		float h1x = h1( fuv.x );
		float h0y = h0( fuv.y );
		float h1y = h1( fuv.y );
		vec2 p0 = ( vec2( iuv.x + h0x, iuv.y + h0y ) - 0.5 ) * texelSize.xy;
		vec2 p1 = ( vec2( iuv.x + h1x, iuv.y + h0y ) - 0.5 ) * texelSize.xy;
		vec2 p2 = ( vec2( iuv.x + h0x, iuv.y + h1y ) - 0.5 ) * texelSize.xy;
		vec2 p3 = ( vec2( iuv.x + h1x, iuv.y + h1y ) - 0.5 ) * texelSize.xy;
		return g0( fuv.y ) * ( g0x * textureLod( tex, p0, lod ) + g1x * textureLod( tex, p1, lod ) ) +
			g1( fuv.y ) * ( g0x * textureLod( tex, p2, lod ) + g1x * textureLod( tex, p3, lod ) );
	}
	vec4 textureBicubic( sampler2D sampler, vec2 uv, float lod ) {
		vec2 fLodSize = vec2( textureSize( sampler, int( lod ) ) );
		vec2 cLodSize = vec2( textureSize( sampler, int( lod + 1.0 ) ) );
		vec2 fLodSizeInv = 1.0 / fLodSize;
		vec2 cLodSizeInv = 1.0 / cLodSize;
		vec4 fSample = bicubic( sampler, uv, vec4( fLodSizeInv, fLodSize ), floor( lod ) );
		vec4 cSample = bicubic( sampler, uv, vec4( cLodSizeInv, cLodSize ), ceil( lod ) );
		return mix( fSample, cSample, fract( lod ) );
	}
	vec3 getVolumeTransmissionRay( const in vec3 n, const in vec3 v, const in float thickness, const in float ior, const in mat4 modelMatrix ) {
		vec3 refractionVector = refract( - v, normalize( n ), 1.0 / ior );
		vec3 modelScale;
		modelScale.x = length( vec3( modelMatrix[ 0 ].xyz ) );
		modelScale.y = length( vec3( modelMatrix[ 1 ].xyz ) );
		modelScale.z = length( vec3( modelMatrix[ 2 ].xyz ) );
		return normalize( refractionVector ) * thickness * modelScale;
	}
	float applyIorToRoughness( const in float roughness, const in float ior ) {
		return roughness * clamp( ior * 2.0 - 2.0, 0.0, 1.0 );
	}
	vec4 getTransmissionSample( const in vec2 fragCoord, const in float roughness, const in float ior ) {
		float lod = log2( transmissionSamplerSize.x ) * applyIorToRoughness( roughness, ior );
		return textureBicubic( transmissionSamplerMap, fragCoord.xy, lod );
	}
	vec3 volumeAttenuation( const in float transmissionDistance, const in vec3 attenuationColor, const in float attenuationDistance ) {
		if ( isinf( attenuationDistance ) ) {
			return vec3( 1.0 );
		} else {
			vec3 attenuationCoefficient = -log( attenuationColor ) / attenuationDistance;
			vec3 transmittance = exp( - attenuationCoefficient * transmissionDistance );			return transmittance;
		}
	}
	vec4 getIBLVolumeRefraction( const in vec3 n, const in vec3 v, const in float roughness, const in vec3 diffuseColor,
		const in vec3 specularColor, const in float specularF90, const in vec3 position, const in mat4 modelMatrix,
		const in mat4 viewMatrix, const in mat4 projMatrix, const in float dispersion, const in float ior, const in float thickness,
		const in vec3 attenuationColor, const in float attenuationDistance ) {
		vec4 transmittedLight;
		vec3 transmittance;
		#ifdef USE_DISPERSION
			float halfSpread = ( ior - 1.0 ) * 0.025 * dispersion;
			vec3 iors = vec3( ior - halfSpread, ior, ior + halfSpread );
			for ( int i = 0; i < 3; i ++ ) {
				vec3 transmissionRay = getVolumeTransmissionRay( n, v, thickness, iors[ i ], modelMatrix );
				vec3 refractedRayExit = position + transmissionRay;
		
				vec4 ndcPos = projMatrix * viewMatrix * vec4( refractedRayExit, 1.0 );
				vec2 refractionCoords = ndcPos.xy / ndcPos.w;
				refractionCoords += 1.0;
				refractionCoords /= 2.0;
		
				vec4 transmissionSample = getTransmissionSample( refractionCoords, roughness, iors[ i ] );
				transmittedLight[ i ] = transmissionSample[ i ];
				transmittedLight.a += transmissionSample.a;
				transmittance[ i ] = diffuseColor[ i ] * volumeAttenuation( length( transmissionRay ), attenuationColor, attenuationDistance )[ i ];
			}
			transmittedLight.a /= 3.0;
		
		#else
		
			vec3 transmissionRay = getVolumeTransmissionRay( n, v, thickness, ior, modelMatrix );
			vec3 refractedRayExit = position + transmissionRay;
			vec4 ndcPos = projMatrix * viewMatrix * vec4( refractedRayExit, 1.0 );
			vec2 refractionCoords = ndcPos.xy / ndcPos.w;
			refractionCoords += 1.0;
			refractionCoords /= 2.0;
			transmittedLight = getTransmissionSample( refractionCoords, roughness, ior );
			transmittance = diffuseColor * volumeAttenuation( length( transmissionRay ), attenuationColor, attenuationDistance );
		
		#endif
		vec3 attenuatedColor = transmittance * transmittedLight.rgb;
		vec3 F = EnvironmentBRDF( n, v, specularColor, specularF90, roughness );
		float transmittanceFactor = ( transmittance.r + transmittance.g + transmittance.b ) / 3.0;
		return vec4( ( 1.0 - F ) * attenuatedColor, 1.0 - ( 1.0 - transmittedLight.a ) * transmittanceFactor );
	}
#endif`,S0=`#if defined( USE_UV ) || defined( USE_ANISOTROPY )
	varying vec2 vUv;
#endif
#ifdef USE_MAP
	varying vec2 vMapUv;
#endif
#ifdef USE_ALPHAMAP
	varying vec2 vAlphaMapUv;
#endif
#ifdef USE_LIGHTMAP
	varying vec2 vLightMapUv;
#endif
#ifdef USE_AOMAP
	varying vec2 vAoMapUv;
#endif
#ifdef USE_BUMPMAP
	varying vec2 vBumpMapUv;
#endif
#ifdef USE_NORMALMAP
	varying vec2 vNormalMapUv;
#endif
#ifdef USE_EMISSIVEMAP
	varying vec2 vEmissiveMapUv;
#endif
#ifdef USE_METALNESSMAP
	varying vec2 vMetalnessMapUv;
#endif
#ifdef USE_ROUGHNESSMAP
	varying vec2 vRoughnessMapUv;
#endif
#ifdef USE_ANISOTROPYMAP
	varying vec2 vAnisotropyMapUv;
#endif
#ifdef USE_CLEARCOATMAP
	varying vec2 vClearcoatMapUv;
#endif
#ifdef USE_CLEARCOAT_NORMALMAP
	varying vec2 vClearcoatNormalMapUv;
#endif
#ifdef USE_CLEARCOAT_ROUGHNESSMAP
	varying vec2 vClearcoatRoughnessMapUv;
#endif
#ifdef USE_IRIDESCENCEMAP
	varying vec2 vIridescenceMapUv;
#endif
#ifdef USE_IRIDESCENCE_THICKNESSMAP
	varying vec2 vIridescenceThicknessMapUv;
#endif
#ifdef USE_SHEEN_COLORMAP
	varying vec2 vSheenColorMapUv;
#endif
#ifdef USE_SHEEN_ROUGHNESSMAP
	varying vec2 vSheenRoughnessMapUv;
#endif
#ifdef USE_SPECULARMAP
	varying vec2 vSpecularMapUv;
#endif
#ifdef USE_SPECULAR_COLORMAP
	varying vec2 vSpecularColorMapUv;
#endif
#ifdef USE_SPECULAR_INTENSITYMAP
	varying vec2 vSpecularIntensityMapUv;
#endif
#ifdef USE_TRANSMISSIONMAP
	uniform mat3 transmissionMapTransform;
	varying vec2 vTransmissionMapUv;
#endif
#ifdef USE_THICKNESSMAP
	uniform mat3 thicknessMapTransform;
	varying vec2 vThicknessMapUv;
#endif`,y0=`#if defined( USE_UV ) || defined( USE_ANISOTROPY )
	varying vec2 vUv;
#endif
#ifdef USE_MAP
	uniform mat3 mapTransform;
	varying vec2 vMapUv;
#endif
#ifdef USE_ALPHAMAP
	uniform mat3 alphaMapTransform;
	varying vec2 vAlphaMapUv;
#endif
#ifdef USE_LIGHTMAP
	uniform mat3 lightMapTransform;
	varying vec2 vLightMapUv;
#endif
#ifdef USE_AOMAP
	uniform mat3 aoMapTransform;
	varying vec2 vAoMapUv;
#endif
#ifdef USE_BUMPMAP
	uniform mat3 bumpMapTransform;
	varying vec2 vBumpMapUv;
#endif
#ifdef USE_NORMALMAP
	uniform mat3 normalMapTransform;
	varying vec2 vNormalMapUv;
#endif
#ifdef USE_DISPLACEMENTMAP
	uniform mat3 displacementMapTransform;
	varying vec2 vDisplacementMapUv;
#endif
#ifdef USE_EMISSIVEMAP
	uniform mat3 emissiveMapTransform;
	varying vec2 vEmissiveMapUv;
#endif
#ifdef USE_METALNESSMAP
	uniform mat3 metalnessMapTransform;
	varying vec2 vMetalnessMapUv;
#endif
#ifdef USE_ROUGHNESSMAP
	uniform mat3 roughnessMapTransform;
	varying vec2 vRoughnessMapUv;
#endif
#ifdef USE_ANISOTROPYMAP
	uniform mat3 anisotropyMapTransform;
	varying vec2 vAnisotropyMapUv;
#endif
#ifdef USE_CLEARCOATMAP
	uniform mat3 clearcoatMapTransform;
	varying vec2 vClearcoatMapUv;
#endif
#ifdef USE_CLEARCOAT_NORMALMAP
	uniform mat3 clearcoatNormalMapTransform;
	varying vec2 vClearcoatNormalMapUv;
#endif
#ifdef USE_CLEARCOAT_ROUGHNESSMAP
	uniform mat3 clearcoatRoughnessMapTransform;
	varying vec2 vClearcoatRoughnessMapUv;
#endif
#ifdef USE_SHEEN_COLORMAP
	uniform mat3 sheenColorMapTransform;
	varying vec2 vSheenColorMapUv;
#endif
#ifdef USE_SHEEN_ROUGHNESSMAP
	uniform mat3 sheenRoughnessMapTransform;
	varying vec2 vSheenRoughnessMapUv;
#endif
#ifdef USE_IRIDESCENCEMAP
	uniform mat3 iridescenceMapTransform;
	varying vec2 vIridescenceMapUv;
#endif
#ifdef USE_IRIDESCENCE_THICKNESSMAP
	uniform mat3 iridescenceThicknessMapTransform;
	varying vec2 vIridescenceThicknessMapUv;
#endif
#ifdef USE_SPECULARMAP
	uniform mat3 specularMapTransform;
	varying vec2 vSpecularMapUv;
#endif
#ifdef USE_SPECULAR_COLORMAP
	uniform mat3 specularColorMapTransform;
	varying vec2 vSpecularColorMapUv;
#endif
#ifdef USE_SPECULAR_INTENSITYMAP
	uniform mat3 specularIntensityMapTransform;
	varying vec2 vSpecularIntensityMapUv;
#endif
#ifdef USE_TRANSMISSIONMAP
	uniform mat3 transmissionMapTransform;
	varying vec2 vTransmissionMapUv;
#endif
#ifdef USE_THICKNESSMAP
	uniform mat3 thicknessMapTransform;
	varying vec2 vThicknessMapUv;
#endif`,E0=`#if defined( USE_UV ) || defined( USE_ANISOTROPY )
	vUv = vec3( uv, 1 ).xy;
#endif
#ifdef USE_MAP
	vMapUv = ( mapTransform * vec3( MAP_UV, 1 ) ).xy;
#endif
#ifdef USE_ALPHAMAP
	vAlphaMapUv = ( alphaMapTransform * vec3( ALPHAMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_LIGHTMAP
	vLightMapUv = ( lightMapTransform * vec3( LIGHTMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_AOMAP
	vAoMapUv = ( aoMapTransform * vec3( AOMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_BUMPMAP
	vBumpMapUv = ( bumpMapTransform * vec3( BUMPMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_NORMALMAP
	vNormalMapUv = ( normalMapTransform * vec3( NORMALMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_DISPLACEMENTMAP
	vDisplacementMapUv = ( displacementMapTransform * vec3( DISPLACEMENTMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_EMISSIVEMAP
	vEmissiveMapUv = ( emissiveMapTransform * vec3( EMISSIVEMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_METALNESSMAP
	vMetalnessMapUv = ( metalnessMapTransform * vec3( METALNESSMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_ROUGHNESSMAP
	vRoughnessMapUv = ( roughnessMapTransform * vec3( ROUGHNESSMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_ANISOTROPYMAP
	vAnisotropyMapUv = ( anisotropyMapTransform * vec3( ANISOTROPYMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_CLEARCOATMAP
	vClearcoatMapUv = ( clearcoatMapTransform * vec3( CLEARCOATMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_CLEARCOAT_NORMALMAP
	vClearcoatNormalMapUv = ( clearcoatNormalMapTransform * vec3( CLEARCOAT_NORMALMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_CLEARCOAT_ROUGHNESSMAP
	vClearcoatRoughnessMapUv = ( clearcoatRoughnessMapTransform * vec3( CLEARCOAT_ROUGHNESSMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_IRIDESCENCEMAP
	vIridescenceMapUv = ( iridescenceMapTransform * vec3( IRIDESCENCEMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_IRIDESCENCE_THICKNESSMAP
	vIridescenceThicknessMapUv = ( iridescenceThicknessMapTransform * vec3( IRIDESCENCE_THICKNESSMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_SHEEN_COLORMAP
	vSheenColorMapUv = ( sheenColorMapTransform * vec3( SHEEN_COLORMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_SHEEN_ROUGHNESSMAP
	vSheenRoughnessMapUv = ( sheenRoughnessMapTransform * vec3( SHEEN_ROUGHNESSMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_SPECULARMAP
	vSpecularMapUv = ( specularMapTransform * vec3( SPECULARMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_SPECULAR_COLORMAP
	vSpecularColorMapUv = ( specularColorMapTransform * vec3( SPECULAR_COLORMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_SPECULAR_INTENSITYMAP
	vSpecularIntensityMapUv = ( specularIntensityMapTransform * vec3( SPECULAR_INTENSITYMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_TRANSMISSIONMAP
	vTransmissionMapUv = ( transmissionMapTransform * vec3( TRANSMISSIONMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_THICKNESSMAP
	vThicknessMapUv = ( thicknessMapTransform * vec3( THICKNESSMAP_UV, 1 ) ).xy;
#endif`,b0=`#if defined( USE_ENVMAP ) || defined( DISTANCE ) || defined ( USE_SHADOWMAP ) || defined ( USE_TRANSMISSION ) || NUM_SPOT_LIGHT_COORDS > 0
	vec4 worldPosition = vec4( transformed, 1.0 );
	#ifdef USE_BATCHING
		worldPosition = batchingMatrix * worldPosition;
	#endif
	#ifdef USE_INSTANCING
		worldPosition = instanceMatrix * worldPosition;
	#endif
	worldPosition = modelMatrix * worldPosition;
#endif`;const w0=`varying vec2 vUv;
uniform mat3 uvTransform;
void main() {
	vUv = ( uvTransform * vec3( uv, 1 ) ).xy;
	gl_Position = vec4( position.xy, 1.0, 1.0 );
}`,T0=`uniform sampler2D t2D;
uniform float backgroundIntensity;
varying vec2 vUv;
void main() {
	vec4 texColor = texture2D( t2D, vUv );
	#ifdef DECODE_VIDEO_TEXTURE
		texColor = vec4( mix( pow( texColor.rgb * 0.9478672986 + vec3( 0.0521327014 ), vec3( 2.4 ) ), texColor.rgb * 0.0773993808, vec3( lessThanEqual( texColor.rgb, vec3( 0.04045 ) ) ) ), texColor.w );
	#endif
	texColor.rgb *= backgroundIntensity;
	gl_FragColor = texColor;
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
}`,A0=`varying vec3 vWorldDirection;
#include <common>
void main() {
	vWorldDirection = transformDirection( position, modelMatrix );
	#include <begin_vertex>
	#include <project_vertex>
	gl_Position.z = gl_Position.w;
}`,R0=`#ifdef ENVMAP_TYPE_CUBE
	uniform samplerCube envMap;
#elif defined( ENVMAP_TYPE_CUBE_UV )
	uniform sampler2D envMap;
#endif
uniform float flipEnvMap;
uniform float backgroundBlurriness;
uniform float backgroundIntensity;
uniform mat3 backgroundRotation;
varying vec3 vWorldDirection;
#include <cube_uv_reflection_fragment>
void main() {
	#ifdef ENVMAP_TYPE_CUBE
		vec4 texColor = textureCube( envMap, backgroundRotation * vec3( flipEnvMap * vWorldDirection.x, vWorldDirection.yz ) );
	#elif defined( ENVMAP_TYPE_CUBE_UV )
		vec4 texColor = textureCubeUV( envMap, backgroundRotation * vWorldDirection, backgroundBlurriness );
	#else
		vec4 texColor = vec4( 0.0, 0.0, 0.0, 1.0 );
	#endif
	texColor.rgb *= backgroundIntensity;
	gl_FragColor = texColor;
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
}`,C0=`varying vec3 vWorldDirection;
#include <common>
void main() {
	vWorldDirection = transformDirection( position, modelMatrix );
	#include <begin_vertex>
	#include <project_vertex>
	gl_Position.z = gl_Position.w;
}`,P0=`uniform samplerCube tCube;
uniform float tFlip;
uniform float opacity;
varying vec3 vWorldDirection;
void main() {
	vec4 texColor = textureCube( tCube, vec3( tFlip * vWorldDirection.x, vWorldDirection.yz ) );
	gl_FragColor = texColor;
	gl_FragColor.a *= opacity;
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
}`,L0=`#include <common>
#include <batching_pars_vertex>
#include <uv_pars_vertex>
#include <displacementmap_pars_vertex>
#include <morphtarget_pars_vertex>
#include <skinning_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <clipping_planes_pars_vertex>
varying vec2 vHighPrecisionZW;
void main() {
	#include <uv_vertex>
	#include <batching_vertex>
	#include <skinbase_vertex>
	#include <morphinstance_vertex>
	#ifdef USE_DISPLACEMENTMAP
		#include <beginnormal_vertex>
		#include <morphnormal_vertex>
		#include <skinnormal_vertex>
	#endif
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <skinning_vertex>
	#include <displacementmap_vertex>
	#include <project_vertex>
	#include <logdepthbuf_vertex>
	#include <clipping_planes_vertex>
	vHighPrecisionZW = gl_Position.zw;
}`,D0=`#if DEPTH_PACKING == 3200
	uniform float opacity;
#endif
#include <common>
#include <packing>
#include <uv_pars_fragment>
#include <map_pars_fragment>
#include <alphamap_pars_fragment>
#include <alphatest_pars_fragment>
#include <alphahash_pars_fragment>
#include <logdepthbuf_pars_fragment>
#include <clipping_planes_pars_fragment>
varying vec2 vHighPrecisionZW;
void main() {
	vec4 diffuseColor = vec4( 1.0 );
	#include <clipping_planes_fragment>
	#if DEPTH_PACKING == 3200
		diffuseColor.a = opacity;
	#endif
	#include <map_fragment>
	#include <alphamap_fragment>
	#include <alphatest_fragment>
	#include <alphahash_fragment>
	#include <logdepthbuf_fragment>
	float fragCoordZ = 0.5 * vHighPrecisionZW[0] / vHighPrecisionZW[1] + 0.5;
	#if DEPTH_PACKING == 3200
		gl_FragColor = vec4( vec3( 1.0 - fragCoordZ ), opacity );
	#elif DEPTH_PACKING == 3201
		gl_FragColor = packDepthToRGBA( fragCoordZ );
	#endif
}`,U0=`#define DISTANCE
varying vec3 vWorldPosition;
#include <common>
#include <batching_pars_vertex>
#include <uv_pars_vertex>
#include <displacementmap_pars_vertex>
#include <morphtarget_pars_vertex>
#include <skinning_pars_vertex>
#include <clipping_planes_pars_vertex>
void main() {
	#include <uv_vertex>
	#include <batching_vertex>
	#include <skinbase_vertex>
	#include <morphinstance_vertex>
	#ifdef USE_DISPLACEMENTMAP
		#include <beginnormal_vertex>
		#include <morphnormal_vertex>
		#include <skinnormal_vertex>
	#endif
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <skinning_vertex>
	#include <displacementmap_vertex>
	#include <project_vertex>
	#include <worldpos_vertex>
	#include <clipping_planes_vertex>
	vWorldPosition = worldPosition.xyz;
}`,I0=`#define DISTANCE
uniform vec3 referencePosition;
uniform float nearDistance;
uniform float farDistance;
varying vec3 vWorldPosition;
#include <common>
#include <packing>
#include <uv_pars_fragment>
#include <map_pars_fragment>
#include <alphamap_pars_fragment>
#include <alphatest_pars_fragment>
#include <alphahash_pars_fragment>
#include <clipping_planes_pars_fragment>
void main () {
	vec4 diffuseColor = vec4( 1.0 );
	#include <clipping_planes_fragment>
	#include <map_fragment>
	#include <alphamap_fragment>
	#include <alphatest_fragment>
	#include <alphahash_fragment>
	float dist = length( vWorldPosition - referencePosition );
	dist = ( dist - nearDistance ) / ( farDistance - nearDistance );
	dist = saturate( dist );
	gl_FragColor = packDepthToRGBA( dist );
}`,N0=`varying vec3 vWorldDirection;
#include <common>
void main() {
	vWorldDirection = transformDirection( position, modelMatrix );
	#include <begin_vertex>
	#include <project_vertex>
}`,O0=`uniform sampler2D tEquirect;
varying vec3 vWorldDirection;
#include <common>
void main() {
	vec3 direction = normalize( vWorldDirection );
	vec2 sampleUV = equirectUv( direction );
	gl_FragColor = texture2D( tEquirect, sampleUV );
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
}`,F0=`uniform float scale;
attribute float lineDistance;
varying float vLineDistance;
#include <common>
#include <uv_pars_vertex>
#include <color_pars_vertex>
#include <fog_pars_vertex>
#include <morphtarget_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <clipping_planes_pars_vertex>
void main() {
	vLineDistance = scale * lineDistance;
	#include <uv_vertex>
	#include <color_vertex>
	#include <morphinstance_vertex>
	#include <morphcolor_vertex>
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <project_vertex>
	#include <logdepthbuf_vertex>
	#include <clipping_planes_vertex>
	#include <fog_vertex>
}`,k0=`uniform vec3 diffuse;
uniform float opacity;
uniform float dashSize;
uniform float totalSize;
varying float vLineDistance;
#include <common>
#include <color_pars_fragment>
#include <uv_pars_fragment>
#include <map_pars_fragment>
#include <fog_pars_fragment>
#include <logdepthbuf_pars_fragment>
#include <clipping_planes_pars_fragment>
void main() {
	vec4 diffuseColor = vec4( diffuse, opacity );
	#include <clipping_planes_fragment>
	if ( mod( vLineDistance, totalSize ) > dashSize ) {
		discard;
	}
	vec3 outgoingLight = vec3( 0.0 );
	#include <logdepthbuf_fragment>
	#include <map_fragment>
	#include <color_fragment>
	outgoingLight = diffuseColor.rgb;
	#include <opaque_fragment>
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
	#include <fog_fragment>
	#include <premultiplied_alpha_fragment>
}`,B0=`#include <common>
#include <batching_pars_vertex>
#include <uv_pars_vertex>
#include <envmap_pars_vertex>
#include <color_pars_vertex>
#include <fog_pars_vertex>
#include <morphtarget_pars_vertex>
#include <skinning_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <clipping_planes_pars_vertex>
void main() {
	#include <uv_vertex>
	#include <color_vertex>
	#include <morphinstance_vertex>
	#include <morphcolor_vertex>
	#include <batching_vertex>
	#if defined ( USE_ENVMAP ) || defined ( USE_SKINNING )
		#include <beginnormal_vertex>
		#include <morphnormal_vertex>
		#include <skinbase_vertex>
		#include <skinnormal_vertex>
		#include <defaultnormal_vertex>
	#endif
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <skinning_vertex>
	#include <project_vertex>
	#include <logdepthbuf_vertex>
	#include <clipping_planes_vertex>
	#include <worldpos_vertex>
	#include <envmap_vertex>
	#include <fog_vertex>
}`,z0=`uniform vec3 diffuse;
uniform float opacity;
#ifndef FLAT_SHADED
	varying vec3 vNormal;
#endif
#include <common>
#include <dithering_pars_fragment>
#include <color_pars_fragment>
#include <uv_pars_fragment>
#include <map_pars_fragment>
#include <alphamap_pars_fragment>
#include <alphatest_pars_fragment>
#include <alphahash_pars_fragment>
#include <aomap_pars_fragment>
#include <lightmap_pars_fragment>
#include <envmap_common_pars_fragment>
#include <envmap_pars_fragment>
#include <fog_pars_fragment>
#include <specularmap_pars_fragment>
#include <logdepthbuf_pars_fragment>
#include <clipping_planes_pars_fragment>
void main() {
	vec4 diffuseColor = vec4( diffuse, opacity );
	#include <clipping_planes_fragment>
	#include <logdepthbuf_fragment>
	#include <map_fragment>
	#include <color_fragment>
	#include <alphamap_fragment>
	#include <alphatest_fragment>
	#include <alphahash_fragment>
	#include <specularmap_fragment>
	ReflectedLight reflectedLight = ReflectedLight( vec3( 0.0 ), vec3( 0.0 ), vec3( 0.0 ), vec3( 0.0 ) );
	#ifdef USE_LIGHTMAP
		vec4 lightMapTexel = texture2D( lightMap, vLightMapUv );
		reflectedLight.indirectDiffuse += lightMapTexel.rgb * lightMapIntensity * RECIPROCAL_PI;
	#else
		reflectedLight.indirectDiffuse += vec3( 1.0 );
	#endif
	#include <aomap_fragment>
	reflectedLight.indirectDiffuse *= diffuseColor.rgb;
	vec3 outgoingLight = reflectedLight.indirectDiffuse;
	#include <envmap_fragment>
	#include <opaque_fragment>
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
	#include <fog_fragment>
	#include <premultiplied_alpha_fragment>
	#include <dithering_fragment>
}`,H0=`#define LAMBERT
varying vec3 vViewPosition;
#include <common>
#include <batching_pars_vertex>
#include <uv_pars_vertex>
#include <displacementmap_pars_vertex>
#include <envmap_pars_vertex>
#include <color_pars_vertex>
#include <fog_pars_vertex>
#include <normal_pars_vertex>
#include <morphtarget_pars_vertex>
#include <skinning_pars_vertex>
#include <shadowmap_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <clipping_planes_pars_vertex>
void main() {
	#include <uv_vertex>
	#include <color_vertex>
	#include <morphinstance_vertex>
	#include <morphcolor_vertex>
	#include <batching_vertex>
	#include <beginnormal_vertex>
	#include <morphnormal_vertex>
	#include <skinbase_vertex>
	#include <skinnormal_vertex>
	#include <defaultnormal_vertex>
	#include <normal_vertex>
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <skinning_vertex>
	#include <displacementmap_vertex>
	#include <project_vertex>
	#include <logdepthbuf_vertex>
	#include <clipping_planes_vertex>
	vViewPosition = - mvPosition.xyz;
	#include <worldpos_vertex>
	#include <envmap_vertex>
	#include <shadowmap_vertex>
	#include <fog_vertex>
}`,V0=`#define LAMBERT
uniform vec3 diffuse;
uniform vec3 emissive;
uniform float opacity;
#include <common>
#include <packing>
#include <dithering_pars_fragment>
#include <color_pars_fragment>
#include <uv_pars_fragment>
#include <map_pars_fragment>
#include <alphamap_pars_fragment>
#include <alphatest_pars_fragment>
#include <alphahash_pars_fragment>
#include <aomap_pars_fragment>
#include <lightmap_pars_fragment>
#include <emissivemap_pars_fragment>
#include <envmap_common_pars_fragment>
#include <envmap_pars_fragment>
#include <fog_pars_fragment>
#include <bsdfs>
#include <lights_pars_begin>
#include <normal_pars_fragment>
#include <lights_lambert_pars_fragment>
#include <shadowmap_pars_fragment>
#include <bumpmap_pars_fragment>
#include <normalmap_pars_fragment>
#include <specularmap_pars_fragment>
#include <logdepthbuf_pars_fragment>
#include <clipping_planes_pars_fragment>
void main() {
	vec4 diffuseColor = vec4( diffuse, opacity );
	#include <clipping_planes_fragment>
	ReflectedLight reflectedLight = ReflectedLight( vec3( 0.0 ), vec3( 0.0 ), vec3( 0.0 ), vec3( 0.0 ) );
	vec3 totalEmissiveRadiance = emissive;
	#include <logdepthbuf_fragment>
	#include <map_fragment>
	#include <color_fragment>
	#include <alphamap_fragment>
	#include <alphatest_fragment>
	#include <alphahash_fragment>
	#include <specularmap_fragment>
	#include <normal_fragment_begin>
	#include <normal_fragment_maps>
	#include <emissivemap_fragment>
	#include <lights_lambert_fragment>
	#include <lights_fragment_begin>
	#include <lights_fragment_maps>
	#include <lights_fragment_end>
	#include <aomap_fragment>
	vec3 outgoingLight = reflectedLight.directDiffuse + reflectedLight.indirectDiffuse + totalEmissiveRadiance;
	#include <envmap_fragment>
	#include <opaque_fragment>
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
	#include <fog_fragment>
	#include <premultiplied_alpha_fragment>
	#include <dithering_fragment>
}`,G0=`#define MATCAP
varying vec3 vViewPosition;
#include <common>
#include <batching_pars_vertex>
#include <uv_pars_vertex>
#include <color_pars_vertex>
#include <displacementmap_pars_vertex>
#include <fog_pars_vertex>
#include <normal_pars_vertex>
#include <morphtarget_pars_vertex>
#include <skinning_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <clipping_planes_pars_vertex>
void main() {
	#include <uv_vertex>
	#include <color_vertex>
	#include <morphinstance_vertex>
	#include <morphcolor_vertex>
	#include <batching_vertex>
	#include <beginnormal_vertex>
	#include <morphnormal_vertex>
	#include <skinbase_vertex>
	#include <skinnormal_vertex>
	#include <defaultnormal_vertex>
	#include <normal_vertex>
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <skinning_vertex>
	#include <displacementmap_vertex>
	#include <project_vertex>
	#include <logdepthbuf_vertex>
	#include <clipping_planes_vertex>
	#include <fog_vertex>
	vViewPosition = - mvPosition.xyz;
}`,W0=`#define MATCAP
uniform vec3 diffuse;
uniform float opacity;
uniform sampler2D matcap;
varying vec3 vViewPosition;
#include <common>
#include <dithering_pars_fragment>
#include <color_pars_fragment>
#include <uv_pars_fragment>
#include <map_pars_fragment>
#include <alphamap_pars_fragment>
#include <alphatest_pars_fragment>
#include <alphahash_pars_fragment>
#include <fog_pars_fragment>
#include <normal_pars_fragment>
#include <bumpmap_pars_fragment>
#include <normalmap_pars_fragment>
#include <logdepthbuf_pars_fragment>
#include <clipping_planes_pars_fragment>
void main() {
	vec4 diffuseColor = vec4( diffuse, opacity );
	#include <clipping_planes_fragment>
	#include <logdepthbuf_fragment>
	#include <map_fragment>
	#include <color_fragment>
	#include <alphamap_fragment>
	#include <alphatest_fragment>
	#include <alphahash_fragment>
	#include <normal_fragment_begin>
	#include <normal_fragment_maps>
	vec3 viewDir = normalize( vViewPosition );
	vec3 x = normalize( vec3( viewDir.z, 0.0, - viewDir.x ) );
	vec3 y = cross( viewDir, x );
	vec2 uv = vec2( dot( x, normal ), dot( y, normal ) ) * 0.495 + 0.5;
	#ifdef USE_MATCAP
		vec4 matcapColor = texture2D( matcap, uv );
	#else
		vec4 matcapColor = vec4( vec3( mix( 0.2, 0.8, uv.y ) ), 1.0 );
	#endif
	vec3 outgoingLight = diffuseColor.rgb * matcapColor.rgb;
	#include <opaque_fragment>
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
	#include <fog_fragment>
	#include <premultiplied_alpha_fragment>
	#include <dithering_fragment>
}`,X0=`#define NORMAL
#if defined( FLAT_SHADED ) || defined( USE_BUMPMAP ) || defined( USE_NORMALMAP_TANGENTSPACE )
	varying vec3 vViewPosition;
#endif
#include <common>
#include <batching_pars_vertex>
#include <uv_pars_vertex>
#include <displacementmap_pars_vertex>
#include <normal_pars_vertex>
#include <morphtarget_pars_vertex>
#include <skinning_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <clipping_planes_pars_vertex>
void main() {
	#include <uv_vertex>
	#include <batching_vertex>
	#include <beginnormal_vertex>
	#include <morphinstance_vertex>
	#include <morphnormal_vertex>
	#include <skinbase_vertex>
	#include <skinnormal_vertex>
	#include <defaultnormal_vertex>
	#include <normal_vertex>
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <skinning_vertex>
	#include <displacementmap_vertex>
	#include <project_vertex>
	#include <logdepthbuf_vertex>
	#include <clipping_planes_vertex>
#if defined( FLAT_SHADED ) || defined( USE_BUMPMAP ) || defined( USE_NORMALMAP_TANGENTSPACE )
	vViewPosition = - mvPosition.xyz;
#endif
}`,$0=`#define NORMAL
uniform float opacity;
#if defined( FLAT_SHADED ) || defined( USE_BUMPMAP ) || defined( USE_NORMALMAP_TANGENTSPACE )
	varying vec3 vViewPosition;
#endif
#include <packing>
#include <uv_pars_fragment>
#include <normal_pars_fragment>
#include <bumpmap_pars_fragment>
#include <normalmap_pars_fragment>
#include <logdepthbuf_pars_fragment>
#include <clipping_planes_pars_fragment>
void main() {
	vec4 diffuseColor = vec4( 0.0, 0.0, 0.0, opacity );
	#include <clipping_planes_fragment>
	#include <logdepthbuf_fragment>
	#include <normal_fragment_begin>
	#include <normal_fragment_maps>
	gl_FragColor = vec4( packNormalToRGB( normal ), diffuseColor.a );
	#ifdef OPAQUE
		gl_FragColor.a = 1.0;
	#endif
}`,Y0=`#define PHONG
varying vec3 vViewPosition;
#include <common>
#include <batching_pars_vertex>
#include <uv_pars_vertex>
#include <displacementmap_pars_vertex>
#include <envmap_pars_vertex>
#include <color_pars_vertex>
#include <fog_pars_vertex>
#include <normal_pars_vertex>
#include <morphtarget_pars_vertex>
#include <skinning_pars_vertex>
#include <shadowmap_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <clipping_planes_pars_vertex>
void main() {
	#include <uv_vertex>
	#include <color_vertex>
	#include <morphcolor_vertex>
	#include <batching_vertex>
	#include <beginnormal_vertex>
	#include <morphinstance_vertex>
	#include <morphnormal_vertex>
	#include <skinbase_vertex>
	#include <skinnormal_vertex>
	#include <defaultnormal_vertex>
	#include <normal_vertex>
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <skinning_vertex>
	#include <displacementmap_vertex>
	#include <project_vertex>
	#include <logdepthbuf_vertex>
	#include <clipping_planes_vertex>
	vViewPosition = - mvPosition.xyz;
	#include <worldpos_vertex>
	#include <envmap_vertex>
	#include <shadowmap_vertex>
	#include <fog_vertex>
}`,q0=`#define PHONG
uniform vec3 diffuse;
uniform vec3 emissive;
uniform vec3 specular;
uniform float shininess;
uniform float opacity;
#include <common>
#include <packing>
#include <dithering_pars_fragment>
#include <color_pars_fragment>
#include <uv_pars_fragment>
#include <map_pars_fragment>
#include <alphamap_pars_fragment>
#include <alphatest_pars_fragment>
#include <alphahash_pars_fragment>
#include <aomap_pars_fragment>
#include <lightmap_pars_fragment>
#include <emissivemap_pars_fragment>
#include <envmap_common_pars_fragment>
#include <envmap_pars_fragment>
#include <fog_pars_fragment>
#include <bsdfs>
#include <lights_pars_begin>
#include <normal_pars_fragment>
#include <lights_phong_pars_fragment>
#include <shadowmap_pars_fragment>
#include <bumpmap_pars_fragment>
#include <normalmap_pars_fragment>
#include <specularmap_pars_fragment>
#include <logdepthbuf_pars_fragment>
#include <clipping_planes_pars_fragment>
void main() {
	vec4 diffuseColor = vec4( diffuse, opacity );
	#include <clipping_planes_fragment>
	ReflectedLight reflectedLight = ReflectedLight( vec3( 0.0 ), vec3( 0.0 ), vec3( 0.0 ), vec3( 0.0 ) );
	vec3 totalEmissiveRadiance = emissive;
	#include <logdepthbuf_fragment>
	#include <map_fragment>
	#include <color_fragment>
	#include <alphamap_fragment>
	#include <alphatest_fragment>
	#include <alphahash_fragment>
	#include <specularmap_fragment>
	#include <normal_fragment_begin>
	#include <normal_fragment_maps>
	#include <emissivemap_fragment>
	#include <lights_phong_fragment>
	#include <lights_fragment_begin>
	#include <lights_fragment_maps>
	#include <lights_fragment_end>
	#include <aomap_fragment>
	vec3 outgoingLight = reflectedLight.directDiffuse + reflectedLight.indirectDiffuse + reflectedLight.directSpecular + reflectedLight.indirectSpecular + totalEmissiveRadiance;
	#include <envmap_fragment>
	#include <opaque_fragment>
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
	#include <fog_fragment>
	#include <premultiplied_alpha_fragment>
	#include <dithering_fragment>
}`,j0=`#define STANDARD
varying vec3 vViewPosition;
#ifdef USE_TRANSMISSION
	varying vec3 vWorldPosition;
#endif
#include <common>
#include <batching_pars_vertex>
#include <uv_pars_vertex>
#include <displacementmap_pars_vertex>
#include <color_pars_vertex>
#include <fog_pars_vertex>
#include <normal_pars_vertex>
#include <morphtarget_pars_vertex>
#include <skinning_pars_vertex>
#include <shadowmap_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <clipping_planes_pars_vertex>
void main() {
	#include <uv_vertex>
	#include <color_vertex>
	#include <morphinstance_vertex>
	#include <morphcolor_vertex>
	#include <batching_vertex>
	#include <beginnormal_vertex>
	#include <morphnormal_vertex>
	#include <skinbase_vertex>
	#include <skinnormal_vertex>
	#include <defaultnormal_vertex>
	#include <normal_vertex>
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <skinning_vertex>
	#include <displacementmap_vertex>
	#include <project_vertex>
	#include <logdepthbuf_vertex>
	#include <clipping_planes_vertex>
	vViewPosition = - mvPosition.xyz;
	#include <worldpos_vertex>
	#include <shadowmap_vertex>
	#include <fog_vertex>
#ifdef USE_TRANSMISSION
	vWorldPosition = worldPosition.xyz;
#endif
}`,K0=`#define STANDARD
#ifdef PHYSICAL
	#define IOR
	#define USE_SPECULAR
#endif
uniform vec3 diffuse;
uniform vec3 emissive;
uniform float roughness;
uniform float metalness;
uniform float opacity;
#ifdef IOR
	uniform float ior;
#endif
#ifdef USE_SPECULAR
	uniform float specularIntensity;
	uniform vec3 specularColor;
	#ifdef USE_SPECULAR_COLORMAP
		uniform sampler2D specularColorMap;
	#endif
	#ifdef USE_SPECULAR_INTENSITYMAP
		uniform sampler2D specularIntensityMap;
	#endif
#endif
#ifdef USE_CLEARCOAT
	uniform float clearcoat;
	uniform float clearcoatRoughness;
#endif
#ifdef USE_DISPERSION
	uniform float dispersion;
#endif
#ifdef USE_IRIDESCENCE
	uniform float iridescence;
	uniform float iridescenceIOR;
	uniform float iridescenceThicknessMinimum;
	uniform float iridescenceThicknessMaximum;
#endif
#ifdef USE_SHEEN
	uniform vec3 sheenColor;
	uniform float sheenRoughness;
	#ifdef USE_SHEEN_COLORMAP
		uniform sampler2D sheenColorMap;
	#endif
	#ifdef USE_SHEEN_ROUGHNESSMAP
		uniform sampler2D sheenRoughnessMap;
	#endif
#endif
#ifdef USE_ANISOTROPY
	uniform vec2 anisotropyVector;
	#ifdef USE_ANISOTROPYMAP
		uniform sampler2D anisotropyMap;
	#endif
#endif
varying vec3 vViewPosition;
#include <common>
#include <packing>
#include <dithering_pars_fragment>
#include <color_pars_fragment>
#include <uv_pars_fragment>
#include <map_pars_fragment>
#include <alphamap_pars_fragment>
#include <alphatest_pars_fragment>
#include <alphahash_pars_fragment>
#include <aomap_pars_fragment>
#include <lightmap_pars_fragment>
#include <emissivemap_pars_fragment>
#include <iridescence_fragment>
#include <cube_uv_reflection_fragment>
#include <envmap_common_pars_fragment>
#include <envmap_physical_pars_fragment>
#include <fog_pars_fragment>
#include <lights_pars_begin>
#include <normal_pars_fragment>
#include <lights_physical_pars_fragment>
#include <transmission_pars_fragment>
#include <shadowmap_pars_fragment>
#include <bumpmap_pars_fragment>
#include <normalmap_pars_fragment>
#include <clearcoat_pars_fragment>
#include <iridescence_pars_fragment>
#include <roughnessmap_pars_fragment>
#include <metalnessmap_pars_fragment>
#include <logdepthbuf_pars_fragment>
#include <clipping_planes_pars_fragment>
void main() {
	vec4 diffuseColor = vec4( diffuse, opacity );
	#include <clipping_planes_fragment>
	ReflectedLight reflectedLight = ReflectedLight( vec3( 0.0 ), vec3( 0.0 ), vec3( 0.0 ), vec3( 0.0 ) );
	vec3 totalEmissiveRadiance = emissive;
	#include <logdepthbuf_fragment>
	#include <map_fragment>
	#include <color_fragment>
	#include <alphamap_fragment>
	#include <alphatest_fragment>
	#include <alphahash_fragment>
	#include <roughnessmap_fragment>
	#include <metalnessmap_fragment>
	#include <normal_fragment_begin>
	#include <normal_fragment_maps>
	#include <clearcoat_normal_fragment_begin>
	#include <clearcoat_normal_fragment_maps>
	#include <emissivemap_fragment>
	#include <lights_physical_fragment>
	#include <lights_fragment_begin>
	#include <lights_fragment_maps>
	#include <lights_fragment_end>
	#include <aomap_fragment>
	vec3 totalDiffuse = reflectedLight.directDiffuse + reflectedLight.indirectDiffuse;
	vec3 totalSpecular = reflectedLight.directSpecular + reflectedLight.indirectSpecular;
	#include <transmission_fragment>
	vec3 outgoingLight = totalDiffuse + totalSpecular + totalEmissiveRadiance;
	#ifdef USE_SHEEN
		float sheenEnergyComp = 1.0 - 0.157 * max3( material.sheenColor );
		outgoingLight = outgoingLight * sheenEnergyComp + sheenSpecularDirect + sheenSpecularIndirect;
	#endif
	#ifdef USE_CLEARCOAT
		float dotNVcc = saturate( dot( geometryClearcoatNormal, geometryViewDir ) );
		vec3 Fcc = F_Schlick( material.clearcoatF0, material.clearcoatF90, dotNVcc );
		outgoingLight = outgoingLight * ( 1.0 - material.clearcoat * Fcc ) + ( clearcoatSpecularDirect + clearcoatSpecularIndirect ) * material.clearcoat;
	#endif
	#include <opaque_fragment>
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
	#include <fog_fragment>
	#include <premultiplied_alpha_fragment>
	#include <dithering_fragment>
}`,Z0=`#define TOON
varying vec3 vViewPosition;
#include <common>
#include <batching_pars_vertex>
#include <uv_pars_vertex>
#include <displacementmap_pars_vertex>
#include <color_pars_vertex>
#include <fog_pars_vertex>
#include <normal_pars_vertex>
#include <morphtarget_pars_vertex>
#include <skinning_pars_vertex>
#include <shadowmap_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <clipping_planes_pars_vertex>
void main() {
	#include <uv_vertex>
	#include <color_vertex>
	#include <morphinstance_vertex>
	#include <morphcolor_vertex>
	#include <batching_vertex>
	#include <beginnormal_vertex>
	#include <morphnormal_vertex>
	#include <skinbase_vertex>
	#include <skinnormal_vertex>
	#include <defaultnormal_vertex>
	#include <normal_vertex>
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <skinning_vertex>
	#include <displacementmap_vertex>
	#include <project_vertex>
	#include <logdepthbuf_vertex>
	#include <clipping_planes_vertex>
	vViewPosition = - mvPosition.xyz;
	#include <worldpos_vertex>
	#include <shadowmap_vertex>
	#include <fog_vertex>
}`,J0=`#define TOON
uniform vec3 diffuse;
uniform vec3 emissive;
uniform float opacity;
#include <common>
#include <packing>
#include <dithering_pars_fragment>
#include <color_pars_fragment>
#include <uv_pars_fragment>
#include <map_pars_fragment>
#include <alphamap_pars_fragment>
#include <alphatest_pars_fragment>
#include <alphahash_pars_fragment>
#include <aomap_pars_fragment>
#include <lightmap_pars_fragment>
#include <emissivemap_pars_fragment>
#include <gradientmap_pars_fragment>
#include <fog_pars_fragment>
#include <bsdfs>
#include <lights_pars_begin>
#include <normal_pars_fragment>
#include <lights_toon_pars_fragment>
#include <shadowmap_pars_fragment>
#include <bumpmap_pars_fragment>
#include <normalmap_pars_fragment>
#include <logdepthbuf_pars_fragment>
#include <clipping_planes_pars_fragment>
void main() {
	vec4 diffuseColor = vec4( diffuse, opacity );
	#include <clipping_planes_fragment>
	ReflectedLight reflectedLight = ReflectedLight( vec3( 0.0 ), vec3( 0.0 ), vec3( 0.0 ), vec3( 0.0 ) );
	vec3 totalEmissiveRadiance = emissive;
	#include <logdepthbuf_fragment>
	#include <map_fragment>
	#include <color_fragment>
	#include <alphamap_fragment>
	#include <alphatest_fragment>
	#include <alphahash_fragment>
	#include <normal_fragment_begin>
	#include <normal_fragment_maps>
	#include <emissivemap_fragment>
	#include <lights_toon_fragment>
	#include <lights_fragment_begin>
	#include <lights_fragment_maps>
	#include <lights_fragment_end>
	#include <aomap_fragment>
	vec3 outgoingLight = reflectedLight.directDiffuse + reflectedLight.indirectDiffuse + totalEmissiveRadiance;
	#include <opaque_fragment>
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
	#include <fog_fragment>
	#include <premultiplied_alpha_fragment>
	#include <dithering_fragment>
}`,Q0=`uniform float size;
uniform float scale;
#include <common>
#include <color_pars_vertex>
#include <fog_pars_vertex>
#include <morphtarget_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <clipping_planes_pars_vertex>
#ifdef USE_POINTS_UV
	varying vec2 vUv;
	uniform mat3 uvTransform;
#endif
void main() {
	#ifdef USE_POINTS_UV
		vUv = ( uvTransform * vec3( uv, 1 ) ).xy;
	#endif
	#include <color_vertex>
	#include <morphinstance_vertex>
	#include <morphcolor_vertex>
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <project_vertex>
	gl_PointSize = size;
	#ifdef USE_SIZEATTENUATION
		bool isPerspective = isPerspectiveMatrix( projectionMatrix );
		if ( isPerspective ) gl_PointSize *= ( scale / - mvPosition.z );
	#endif
	#include <logdepthbuf_vertex>
	#include <clipping_planes_vertex>
	#include <worldpos_vertex>
	#include <fog_vertex>
}`,ev=`uniform vec3 diffuse;
uniform float opacity;
#include <common>
#include <color_pars_fragment>
#include <map_particle_pars_fragment>
#include <alphatest_pars_fragment>
#include <alphahash_pars_fragment>
#include <fog_pars_fragment>
#include <logdepthbuf_pars_fragment>
#include <clipping_planes_pars_fragment>
void main() {
	vec4 diffuseColor = vec4( diffuse, opacity );
	#include <clipping_planes_fragment>
	vec3 outgoingLight = vec3( 0.0 );
	#include <logdepthbuf_fragment>
	#include <map_particle_fragment>
	#include <color_fragment>
	#include <alphatest_fragment>
	#include <alphahash_fragment>
	outgoingLight = diffuseColor.rgb;
	#include <opaque_fragment>
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
	#include <fog_fragment>
	#include <premultiplied_alpha_fragment>
}`,tv=`#include <common>
#include <batching_pars_vertex>
#include <fog_pars_vertex>
#include <morphtarget_pars_vertex>
#include <skinning_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <shadowmap_pars_vertex>
void main() {
	#include <batching_vertex>
	#include <beginnormal_vertex>
	#include <morphinstance_vertex>
	#include <morphnormal_vertex>
	#include <skinbase_vertex>
	#include <skinnormal_vertex>
	#include <defaultnormal_vertex>
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <skinning_vertex>
	#include <project_vertex>
	#include <logdepthbuf_vertex>
	#include <worldpos_vertex>
	#include <shadowmap_vertex>
	#include <fog_vertex>
}`,nv=`uniform vec3 color;
uniform float opacity;
#include <common>
#include <packing>
#include <fog_pars_fragment>
#include <bsdfs>
#include <lights_pars_begin>
#include <logdepthbuf_pars_fragment>
#include <shadowmap_pars_fragment>
#include <shadowmask_pars_fragment>
void main() {
	#include <logdepthbuf_fragment>
	gl_FragColor = vec4( color, opacity * ( 1.0 - getShadowMask() ) );
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
	#include <fog_fragment>
}`,iv=`uniform float rotation;
uniform vec2 center;
#include <common>
#include <uv_pars_vertex>
#include <fog_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <clipping_planes_pars_vertex>
void main() {
	#include <uv_vertex>
	vec4 mvPosition = modelViewMatrix * vec4( 0.0, 0.0, 0.0, 1.0 );
	vec2 scale;
	scale.x = length( vec3( modelMatrix[ 0 ].x, modelMatrix[ 0 ].y, modelMatrix[ 0 ].z ) );
	scale.y = length( vec3( modelMatrix[ 1 ].x, modelMatrix[ 1 ].y, modelMatrix[ 1 ].z ) );
	#ifndef USE_SIZEATTENUATION
		bool isPerspective = isPerspectiveMatrix( projectionMatrix );
		if ( isPerspective ) scale *= - mvPosition.z;
	#endif
	vec2 alignedPosition = ( position.xy - ( center - vec2( 0.5 ) ) ) * scale;
	vec2 rotatedPosition;
	rotatedPosition.x = cos( rotation ) * alignedPosition.x - sin( rotation ) * alignedPosition.y;
	rotatedPosition.y = sin( rotation ) * alignedPosition.x + cos( rotation ) * alignedPosition.y;
	mvPosition.xy += rotatedPosition;
	gl_Position = projectionMatrix * mvPosition;
	#include <logdepthbuf_vertex>
	#include <clipping_planes_vertex>
	#include <fog_vertex>
}`,sv=`uniform vec3 diffuse;
uniform float opacity;
#include <common>
#include <uv_pars_fragment>
#include <map_pars_fragment>
#include <alphamap_pars_fragment>
#include <alphatest_pars_fragment>
#include <alphahash_pars_fragment>
#include <fog_pars_fragment>
#include <logdepthbuf_pars_fragment>
#include <clipping_planes_pars_fragment>
void main() {
	vec4 diffuseColor = vec4( diffuse, opacity );
	#include <clipping_planes_fragment>
	vec3 outgoingLight = vec3( 0.0 );
	#include <logdepthbuf_fragment>
	#include <map_fragment>
	#include <alphamap_fragment>
	#include <alphatest_fragment>
	#include <alphahash_fragment>
	outgoingLight = diffuseColor.rgb;
	#include <opaque_fragment>
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
	#include <fog_fragment>
}`,st={alphahash_fragment:Tg,alphahash_pars_fragment:Ag,alphamap_fragment:Rg,alphamap_pars_fragment:Cg,alphatest_fragment:Pg,alphatest_pars_fragment:Lg,aomap_fragment:Dg,aomap_pars_fragment:Ug,batching_pars_vertex:Ig,batching_vertex:Ng,begin_vertex:Og,beginnormal_vertex:Fg,bsdfs:kg,iridescence_fragment:Bg,bumpmap_pars_fragment:zg,clipping_planes_fragment:Hg,clipping_planes_pars_fragment:Vg,clipping_planes_pars_vertex:Gg,clipping_planes_vertex:Wg,color_fragment:Xg,color_pars_fragment:$g,color_pars_vertex:Yg,color_vertex:qg,common:jg,cube_uv_reflection_fragment:Kg,defaultnormal_vertex:Zg,displacementmap_pars_vertex:Jg,displacementmap_vertex:Qg,emissivemap_fragment:e_,emissivemap_pars_fragment:t_,colorspace_fragment:n_,colorspace_pars_fragment:i_,envmap_fragment:s_,envmap_common_pars_fragment:r_,envmap_pars_fragment:o_,envmap_pars_vertex:a_,envmap_physical_pars_fragment:v_,envmap_vertex:l_,fog_vertex:c_,fog_pars_vertex:u_,fog_fragment:h_,fog_pars_fragment:f_,gradientmap_pars_fragment:d_,lightmap_pars_fragment:p_,lights_lambert_fragment:m_,lights_lambert_pars_fragment:g_,lights_pars_begin:__,lights_toon_fragment:x_,lights_toon_pars_fragment:M_,lights_phong_fragment:S_,lights_phong_pars_fragment:y_,lights_physical_fragment:E_,lights_physical_pars_fragment:b_,lights_fragment_begin:w_,lights_fragment_maps:T_,lights_fragment_end:A_,logdepthbuf_fragment:R_,logdepthbuf_pars_fragment:C_,logdepthbuf_pars_vertex:P_,logdepthbuf_vertex:L_,map_fragment:D_,map_pars_fragment:U_,map_particle_fragment:I_,map_particle_pars_fragment:N_,metalnessmap_fragment:O_,metalnessmap_pars_fragment:F_,morphinstance_vertex:k_,morphcolor_vertex:B_,morphnormal_vertex:z_,morphtarget_pars_vertex:H_,morphtarget_vertex:V_,normal_fragment_begin:G_,normal_fragment_maps:W_,normal_pars_fragment:X_,normal_pars_vertex:$_,normal_vertex:Y_,normalmap_pars_fragment:q_,clearcoat_normal_fragment_begin:j_,clearcoat_normal_fragment_maps:K_,clearcoat_pars_fragment:Z_,iridescence_pars_fragment:J_,opaque_fragment:Q_,packing:e0,premultiplied_alpha_fragment:t0,project_vertex:n0,dithering_fragment:i0,dithering_pars_fragment:s0,roughnessmap_fragment:r0,roughnessmap_pars_fragment:o0,shadowmap_pars_fragment:a0,shadowmap_pars_vertex:l0,shadowmap_vertex:c0,shadowmask_pars_fragment:u0,skinbase_vertex:h0,skinning_pars_vertex:f0,skinning_vertex:d0,skinnormal_vertex:p0,specularmap_fragment:m0,specularmap_pars_fragment:g0,tonemapping_fragment:_0,tonemapping_pars_fragment:v0,transmission_fragment:x0,transmission_pars_fragment:M0,uv_pars_fragment:S0,uv_pars_vertex:y0,uv_vertex:E0,worldpos_vertex:b0,background_vert:w0,background_frag:T0,backgroundCube_vert:A0,backgroundCube_frag:R0,cube_vert:C0,cube_frag:P0,depth_vert:L0,depth_frag:D0,distanceRGBA_vert:U0,distanceRGBA_frag:I0,equirect_vert:N0,equirect_frag:O0,linedashed_vert:F0,linedashed_frag:k0,meshbasic_vert:B0,meshbasic_frag:z0,meshlambert_vert:H0,meshlambert_frag:V0,meshmatcap_vert:G0,meshmatcap_frag:W0,meshnormal_vert:X0,meshnormal_frag:$0,meshphong_vert:Y0,meshphong_frag:q0,meshphysical_vert:j0,meshphysical_frag:K0,meshtoon_vert:Z0,meshtoon_frag:J0,points_vert:Q0,points_frag:ev,shadow_vert:tv,shadow_frag:nv,sprite_vert:iv,sprite_frag:sv},Ue={common:{diffuse:{value:new St(16777215)},opacity:{value:1},map:{value:null},mapTransform:{value:new rt},alphaMap:{value:null},alphaMapTransform:{value:new rt},alphaTest:{value:0}},specularmap:{specularMap:{value:null},specularMapTransform:{value:new rt}},envmap:{envMap:{value:null},envMapRotation:{value:new rt},flipEnvMap:{value:-1},reflectivity:{value:1},ior:{value:1.5},refractionRatio:{value:.98}},aomap:{aoMap:{value:null},aoMapIntensity:{value:1},aoMapTransform:{value:new rt}},lightmap:{lightMap:{value:null},lightMapIntensity:{value:1},lightMapTransform:{value:new rt}},bumpmap:{bumpMap:{value:null},bumpMapTransform:{value:new rt},bumpScale:{value:1}},normalmap:{normalMap:{value:null},normalMapTransform:{value:new rt},normalScale:{value:new ze(1,1)}},displacementmap:{displacementMap:{value:null},displacementMapTransform:{value:new rt},displacementScale:{value:1},displacementBias:{value:0}},emissivemap:{emissiveMap:{value:null},emissiveMapTransform:{value:new rt}},metalnessmap:{metalnessMap:{value:null},metalnessMapTransform:{value:new rt}},roughnessmap:{roughnessMap:{value:null},roughnessMapTransform:{value:new rt}},gradientmap:{gradientMap:{value:null}},fog:{fogDensity:{value:25e-5},fogNear:{value:1},fogFar:{value:2e3},fogColor:{value:new St(16777215)}},lights:{ambientLightColor:{value:[]},lightProbe:{value:[]},directionalLights:{value:[],properties:{direction:{},color:{}}},directionalLightShadows:{value:[],properties:{shadowBias:{},shadowNormalBias:{},shadowRadius:{},shadowMapSize:{}}},directionalShadowMap:{value:[]},directionalShadowMatrix:{value:[]},spotLights:{value:[],properties:{color:{},position:{},direction:{},distance:{},coneCos:{},penumbraCos:{},decay:{}}},spotLightShadows:{value:[],properties:{shadowBias:{},shadowNormalBias:{},shadowRadius:{},shadowMapSize:{}}},spotLightMap:{value:[]},spotShadowMap:{value:[]},spotLightMatrix:{value:[]},pointLights:{value:[],properties:{color:{},position:{},decay:{},distance:{}}},pointLightShadows:{value:[],properties:{shadowBias:{},shadowNormalBias:{},shadowRadius:{},shadowMapSize:{},shadowCameraNear:{},shadowCameraFar:{}}},pointShadowMap:{value:[]},pointShadowMatrix:{value:[]},hemisphereLights:{value:[],properties:{direction:{},skyColor:{},groundColor:{}}},rectAreaLights:{value:[],properties:{color:{},position:{},width:{},height:{}}},ltc_1:{value:null},ltc_2:{value:null}},points:{diffuse:{value:new St(16777215)},opacity:{value:1},size:{value:1},scale:{value:1},map:{value:null},alphaMap:{value:null},alphaMapTransform:{value:new rt},alphaTest:{value:0},uvTransform:{value:new rt}},sprite:{diffuse:{value:new St(16777215)},opacity:{value:1},center:{value:new ze(.5,.5)},rotation:{value:0},map:{value:null},mapTransform:{value:new rt},alphaMap:{value:null},alphaMapTransform:{value:new rt},alphaTest:{value:0}}},_i={basic:{uniforms:xn([Ue.common,Ue.specularmap,Ue.envmap,Ue.aomap,Ue.lightmap,Ue.fog]),vertexShader:st.meshbasic_vert,fragmentShader:st.meshbasic_frag},lambert:{uniforms:xn([Ue.common,Ue.specularmap,Ue.envmap,Ue.aomap,Ue.lightmap,Ue.emissivemap,Ue.bumpmap,Ue.normalmap,Ue.displacementmap,Ue.fog,Ue.lights,{emissive:{value:new St(0)}}]),vertexShader:st.meshlambert_vert,fragmentShader:st.meshlambert_frag},phong:{uniforms:xn([Ue.common,Ue.specularmap,Ue.envmap,Ue.aomap,Ue.lightmap,Ue.emissivemap,Ue.bumpmap,Ue.normalmap,Ue.displacementmap,Ue.fog,Ue.lights,{emissive:{value:new St(0)},specular:{value:new St(1118481)},shininess:{value:30}}]),vertexShader:st.meshphong_vert,fragmentShader:st.meshphong_frag},standard:{uniforms:xn([Ue.common,Ue.envmap,Ue.aomap,Ue.lightmap,Ue.emissivemap,Ue.bumpmap,Ue.normalmap,Ue.displacementmap,Ue.roughnessmap,Ue.metalnessmap,Ue.fog,Ue.lights,{emissive:{value:new St(0)},roughness:{value:1},metalness:{value:0},envMapIntensity:{value:1}}]),vertexShader:st.meshphysical_vert,fragmentShader:st.meshphysical_frag},toon:{uniforms:xn([Ue.common,Ue.aomap,Ue.lightmap,Ue.emissivemap,Ue.bumpmap,Ue.normalmap,Ue.displacementmap,Ue.gradientmap,Ue.fog,Ue.lights,{emissive:{value:new St(0)}}]),vertexShader:st.meshtoon_vert,fragmentShader:st.meshtoon_frag},matcap:{uniforms:xn([Ue.common,Ue.bumpmap,Ue.normalmap,Ue.displacementmap,Ue.fog,{matcap:{value:null}}]),vertexShader:st.meshmatcap_vert,fragmentShader:st.meshmatcap_frag},points:{uniforms:xn([Ue.points,Ue.fog]),vertexShader:st.points_vert,fragmentShader:st.points_frag},dashed:{uniforms:xn([Ue.common,Ue.fog,{scale:{value:1},dashSize:{value:1},totalSize:{value:2}}]),vertexShader:st.linedashed_vert,fragmentShader:st.linedashed_frag},depth:{uniforms:xn([Ue.common,Ue.displacementmap]),vertexShader:st.depth_vert,fragmentShader:st.depth_frag},normal:{uniforms:xn([Ue.common,Ue.bumpmap,Ue.normalmap,Ue.displacementmap,{opacity:{value:1}}]),vertexShader:st.meshnormal_vert,fragmentShader:st.meshnormal_frag},sprite:{uniforms:xn([Ue.sprite,Ue.fog]),vertexShader:st.sprite_vert,fragmentShader:st.sprite_frag},background:{uniforms:{uvTransform:{value:new rt},t2D:{value:null},backgroundIntensity:{value:1}},vertexShader:st.background_vert,fragmentShader:st.background_frag},backgroundCube:{uniforms:{envMap:{value:null},flipEnvMap:{value:-1},backgroundBlurriness:{value:0},backgroundIntensity:{value:1},backgroundRotation:{value:new rt}},vertexShader:st.backgroundCube_vert,fragmentShader:st.backgroundCube_frag},cube:{uniforms:{tCube:{value:null},tFlip:{value:-1},opacity:{value:1}},vertexShader:st.cube_vert,fragmentShader:st.cube_frag},equirect:{uniforms:{tEquirect:{value:null}},vertexShader:st.equirect_vert,fragmentShader:st.equirect_frag},distanceRGBA:{uniforms:xn([Ue.common,Ue.displacementmap,{referencePosition:{value:new $},nearDistance:{value:1},farDistance:{value:1e3}}]),vertexShader:st.distanceRGBA_vert,fragmentShader:st.distanceRGBA_frag},shadow:{uniforms:xn([Ue.lights,Ue.fog,{color:{value:new St(0)},opacity:{value:1}}]),vertexShader:st.shadow_vert,fragmentShader:st.shadow_frag}};_i.physical={uniforms:xn([_i.standard.uniforms,{clearcoat:{value:0},clearcoatMap:{value:null},clearcoatMapTransform:{value:new rt},clearcoatNormalMap:{value:null},clearcoatNormalMapTransform:{value:new rt},clearcoatNormalScale:{value:new ze(1,1)},clearcoatRoughness:{value:0},clearcoatRoughnessMap:{value:null},clearcoatRoughnessMapTransform:{value:new rt},dispersion:{value:0},iridescence:{value:0},iridescenceMap:{value:null},iridescenceMapTransform:{value:new rt},iridescenceIOR:{value:1.3},iridescenceThicknessMinimum:{value:100},iridescenceThicknessMaximum:{value:400},iridescenceThicknessMap:{value:null},iridescenceThicknessMapTransform:{value:new rt},sheen:{value:0},sheenColor:{value:new St(0)},sheenColorMap:{value:null},sheenColorMapTransform:{value:new rt},sheenRoughness:{value:1},sheenRoughnessMap:{value:null},sheenRoughnessMapTransform:{value:new rt},transmission:{value:0},transmissionMap:{value:null},transmissionMapTransform:{value:new rt},transmissionSamplerSize:{value:new ze},transmissionSamplerMap:{value:null},thickness:{value:0},thicknessMap:{value:null},thicknessMapTransform:{value:new rt},attenuationDistance:{value:0},attenuationColor:{value:new St(0)},specularColor:{value:new St(1,1,1)},specularColorMap:{value:null},specularColorMapTransform:{value:new rt},specularIntensity:{value:1},specularIntensityMap:{value:null},specularIntensityMapTransform:{value:new rt},anisotropyVector:{value:new ze},anisotropyMap:{value:null},anisotropyMapTransform:{value:new rt}}]),vertexShader:st.meshphysical_vert,fragmentShader:st.meshphysical_frag};const No={r:0,b:0,g:0},fs=new Fi,rv=new Bt;function ov(i,e,t,n,s,r,o){const a=new St(0);let l=r===!0?0:1,c,u,h=null,f=0,m=null;function _(y){let x=y.isScene===!0?y.background:null;return x&&x.isTexture&&(x=(y.backgroundBlurriness>0?t:e).get(x)),x}function v(y){let x=!1;const b=_(y);b===null?d(a,l):b&&b.isColor&&(d(b,1),x=!0);const H=i.xr.getEnvironmentBlendMode();H==="additive"?n.buffers.color.setClear(0,0,0,1,o):H==="alpha-blend"&&n.buffers.color.setClear(0,0,0,0,o),(i.autoClear||x)&&i.clear(i.autoClearColor,i.autoClearDepth,i.autoClearStencil)}function p(y,x){const b=_(x);b&&(b.isCubeTexture||b.mapping===la)?(u===void 0&&(u=new Rn(new oo(1,1,1),new yi({name:"BackgroundCubeMaterial",uniforms:Mr(_i.backgroundCube.uniforms),vertexShader:_i.backgroundCube.vertexShader,fragmentShader:_i.backgroundCube.fragmentShader,side:Pn,depthTest:!1,depthWrite:!1,fog:!1})),u.geometry.deleteAttribute("normal"),u.geometry.deleteAttribute("uv"),u.onBeforeRender=function(H,T,R){this.matrixWorld.copyPosition(R.matrixWorld)},Object.defineProperty(u.material,"envMap",{get:function(){return this.uniforms.envMap.value}}),s.update(u)),fs.copy(x.backgroundRotation),fs.x*=-1,fs.y*=-1,fs.z*=-1,b.isCubeTexture&&b.isRenderTargetTexture===!1&&(fs.y*=-1,fs.z*=-1),u.material.uniforms.envMap.value=b,u.material.uniforms.flipEnvMap.value=b.isCubeTexture&&b.isRenderTargetTexture===!1?-1:1,u.material.uniforms.backgroundBlurriness.value=x.backgroundBlurriness,u.material.uniforms.backgroundIntensity.value=x.backgroundIntensity,u.material.uniforms.backgroundRotation.value.setFromMatrix4(rv.makeRotationFromEuler(fs)),u.material.toneMapped=vt.getTransfer(b.colorSpace)!==Pt,(h!==b||f!==b.version||m!==i.toneMapping)&&(u.material.needsUpdate=!0,h=b,f=b.version,m=i.toneMapping),u.layers.enableAll(),y.unshift(u,u.geometry,u.material,0,0,null)):b&&b.isTexture&&(c===void 0&&(c=new Rn(new fa(2,2),new yi({name:"BackgroundMaterial",uniforms:Mr(_i.background.uniforms),vertexShader:_i.background.vertexShader,fragmentShader:_i.background.fragmentShader,side:ns,depthTest:!1,depthWrite:!1,fog:!1})),c.geometry.deleteAttribute("normal"),Object.defineProperty(c.material,"map",{get:function(){return this.uniforms.t2D.value}}),s.update(c)),c.material.uniforms.t2D.value=b,c.material.uniforms.backgroundIntensity.value=x.backgroundIntensity,c.material.toneMapped=vt.getTransfer(b.colorSpace)!==Pt,b.matrixAutoUpdate===!0&&b.updateMatrix(),c.material.uniforms.uvTransform.value.copy(b.matrix),(h!==b||f!==b.version||m!==i.toneMapping)&&(c.material.needsUpdate=!0,h=b,f=b.version,m=i.toneMapping),c.layers.enableAll(),y.unshift(c,c.geometry,c.material,0,0,null))}function d(y,x){y.getRGB(No,id(i)),n.buffers.color.setClear(No.r,No.g,No.b,x,o)}return{getClearColor:function(){return a},setClearColor:function(y,x=1){a.set(y),l=x,d(a,l)},getClearAlpha:function(){return l},setClearAlpha:function(y){l=y,d(a,l)},render:v,addToRenderList:p}}function av(i,e){const t=i.getParameter(i.MAX_VERTEX_ATTRIBS),n={},s=f(null);let r=s,o=!1;function a(M,U,G,N,Z){let X=!1;const se=h(N,G,U);r!==se&&(r=se,c(r.object)),X=m(M,N,G,Z),X&&_(M,N,G,Z),Z!==null&&e.update(Z,i.ELEMENT_ARRAY_BUFFER),(X||o)&&(o=!1,b(M,U,G,N),Z!==null&&i.bindBuffer(i.ELEMENT_ARRAY_BUFFER,e.get(Z).buffer))}function l(){return i.createVertexArray()}function c(M){return i.bindVertexArray(M)}function u(M){return i.deleteVertexArray(M)}function h(M,U,G){const N=G.wireframe===!0;let Z=n[M.id];Z===void 0&&(Z={},n[M.id]=Z);let X=Z[U.id];X===void 0&&(X={},Z[U.id]=X);let se=X[N];return se===void 0&&(se=f(l()),X[N]=se),se}function f(M){const U=[],G=[],N=[];for(let Z=0;Z<t;Z++)U[Z]=0,G[Z]=0,N[Z]=0;return{geometry:null,program:null,wireframe:!1,newAttributes:U,enabledAttributes:G,attributeDivisors:N,object:M,attributes:{},index:null}}function m(M,U,G,N){const Z=r.attributes,X=U.attributes;let se=0;const te=G.getAttributes();for(const ne in te)if(te[ne].location>=0){const q=Z[ne];let fe=X[ne];if(fe===void 0&&(ne==="instanceMatrix"&&M.instanceMatrix&&(fe=M.instanceMatrix),ne==="instanceColor"&&M.instanceColor&&(fe=M.instanceColor)),q===void 0||q.attribute!==fe||fe&&q.data!==fe.data)return!0;se++}return r.attributesNum!==se||r.index!==N}function _(M,U,G,N){const Z={},X=U.attributes;let se=0;const te=G.getAttributes();for(const ne in te)if(te[ne].location>=0){let q=X[ne];q===void 0&&(ne==="instanceMatrix"&&M.instanceMatrix&&(q=M.instanceMatrix),ne==="instanceColor"&&M.instanceColor&&(q=M.instanceColor));const fe={};fe.attribute=q,q&&q.data&&(fe.data=q.data),Z[ne]=fe,se++}r.attributes=Z,r.attributesNum=se,r.index=N}function v(){const M=r.newAttributes;for(let U=0,G=M.length;U<G;U++)M[U]=0}function p(M){d(M,0)}function d(M,U){const G=r.newAttributes,N=r.enabledAttributes,Z=r.attributeDivisors;G[M]=1,N[M]===0&&(i.enableVertexAttribArray(M),N[M]=1),Z[M]!==U&&(i.vertexAttribDivisor(M,U),Z[M]=U)}function y(){const M=r.newAttributes,U=r.enabledAttributes;for(let G=0,N=U.length;G<N;G++)U[G]!==M[G]&&(i.disableVertexAttribArray(G),U[G]=0)}function x(M,U,G,N,Z,X,se){se===!0?i.vertexAttribIPointer(M,U,G,Z,X):i.vertexAttribPointer(M,U,G,N,Z,X)}function b(M,U,G,N){v();const Z=N.attributes,X=G.getAttributes(),se=U.defaultAttributeValues;for(const te in X){const ne=X[te];if(ne.location>=0){let Y=Z[te];if(Y===void 0&&(te==="instanceMatrix"&&M.instanceMatrix&&(Y=M.instanceMatrix),te==="instanceColor"&&M.instanceColor&&(Y=M.instanceColor)),Y!==void 0){const q=Y.normalized,fe=Y.itemSize,P=e.get(Y);if(P===void 0)continue;const V=P.buffer,D=P.type,K=P.bytesPerElement,ae=D===i.INT||D===i.UNSIGNED_INT||Y.gpuType===Wf;if(Y.isInterleavedBufferAttribute){const B=Y.data,Q=B.stride,j=Y.offset;if(B.isInstancedInterleavedBuffer){for(let F=0;F<ne.locationSize;F++)d(ne.location+F,B.meshPerAttribute);M.isInstancedMesh!==!0&&N._maxInstanceCount===void 0&&(N._maxInstanceCount=B.meshPerAttribute*B.count)}else for(let F=0;F<ne.locationSize;F++)p(ne.location+F);i.bindBuffer(i.ARRAY_BUFFER,V);for(let F=0;F<ne.locationSize;F++)x(ne.location+F,fe/ne.locationSize,D,q,Q*K,(j+fe/ne.locationSize*F)*K,ae)}else{if(Y.isInstancedBufferAttribute){for(let B=0;B<ne.locationSize;B++)d(ne.location+B,Y.meshPerAttribute);M.isInstancedMesh!==!0&&N._maxInstanceCount===void 0&&(N._maxInstanceCount=Y.meshPerAttribute*Y.count)}else for(let B=0;B<ne.locationSize;B++)p(ne.location+B);i.bindBuffer(i.ARRAY_BUFFER,V);for(let B=0;B<ne.locationSize;B++)x(ne.location+B,fe/ne.locationSize,D,q,fe*K,fe/ne.locationSize*B*K,ae)}}else if(se!==void 0){const q=se[te];if(q!==void 0)switch(q.length){case 2:i.vertexAttrib2fv(ne.location,q);break;case 3:i.vertexAttrib3fv(ne.location,q);break;case 4:i.vertexAttrib4fv(ne.location,q);break;default:i.vertexAttrib1fv(ne.location,q)}}}}y()}function H(){z();for(const M in n){const U=n[M];for(const G in U){const N=U[G];for(const Z in N)u(N[Z].object),delete N[Z];delete U[G]}delete n[M]}}function T(M){if(n[M.id]===void 0)return;const U=n[M.id];for(const G in U){const N=U[G];for(const Z in N)u(N[Z].object),delete N[Z];delete U[G]}delete n[M.id]}function R(M){for(const U in n){const G=n[U];if(G[M.id]===void 0)continue;const N=G[M.id];for(const Z in N)u(N[Z].object),delete N[Z];delete G[M.id]}}function z(){w(),o=!0,r!==s&&(r=s,c(r.object))}function w(){s.geometry=null,s.program=null,s.wireframe=!1}return{setup:a,reset:z,resetDefaultState:w,dispose:H,releaseStatesOfGeometry:T,releaseStatesOfProgram:R,initAttributes:v,enableAttribute:p,disableUnusedAttributes:y}}function lv(i,e,t){let n;function s(c){n=c}function r(c,u){i.drawArrays(n,c,u),t.update(u,n,1)}function o(c,u,h){h!==0&&(i.drawArraysInstanced(n,c,u,h),t.update(u,n,h))}function a(c,u,h){if(h===0)return;const f=e.get("WEBGL_multi_draw");if(f===null)for(let m=0;m<h;m++)this.render(c[m],u[m]);else{f.multiDrawArraysWEBGL(n,c,0,u,0,h);let m=0;for(let _=0;_<h;_++)m+=u[_];t.update(m,n,1)}}function l(c,u,h,f){if(h===0)return;const m=e.get("WEBGL_multi_draw");if(m===null)for(let _=0;_<c.length;_++)o(c[_],u[_],f[_]);else{m.multiDrawArraysInstancedWEBGL(n,c,0,u,0,f,0,h);let _=0;for(let v=0;v<h;v++)_+=u[v];for(let v=0;v<f.length;v++)t.update(_,n,f[v])}}this.setMode=s,this.render=r,this.renderInstances=o,this.renderMultiDraw=a,this.renderMultiDrawInstances=l}function cv(i,e,t,n){let s;function r(){if(s!==void 0)return s;if(e.has("EXT_texture_filter_anisotropic")===!0){const T=e.get("EXT_texture_filter_anisotropic");s=i.getParameter(T.MAX_TEXTURE_MAX_ANISOTROPY_EXT)}else s=0;return s}function o(T){return!(T!==Mi&&n.convert(T)!==i.getParameter(i.IMPLEMENTATION_COLOR_READ_FORMAT))}function a(T){const R=T===ca&&(e.has("EXT_color_buffer_half_float")||e.has("EXT_color_buffer_float"));return!(T!==is&&n.convert(T)!==i.getParameter(i.IMPLEMENTATION_COLOR_READ_TYPE)&&T!==Qi&&!R)}function l(T){if(T==="highp"){if(i.getShaderPrecisionFormat(i.VERTEX_SHADER,i.HIGH_FLOAT).precision>0&&i.getShaderPrecisionFormat(i.FRAGMENT_SHADER,i.HIGH_FLOAT).precision>0)return"highp";T="mediump"}return T==="mediump"&&i.getShaderPrecisionFormat(i.VERTEX_SHADER,i.MEDIUM_FLOAT).precision>0&&i.getShaderPrecisionFormat(i.FRAGMENT_SHADER,i.MEDIUM_FLOAT).precision>0?"mediump":"lowp"}let c=t.precision!==void 0?t.precision:"highp";const u=l(c);u!==c&&(console.warn("THREE.WebGLRenderer:",c,"not supported, using",u,"instead."),c=u);const h=t.logarithmicDepthBuffer===!0,f=i.getParameter(i.MAX_TEXTURE_IMAGE_UNITS),m=i.getParameter(i.MAX_VERTEX_TEXTURE_IMAGE_UNITS),_=i.getParameter(i.MAX_TEXTURE_SIZE),v=i.getParameter(i.MAX_CUBE_MAP_TEXTURE_SIZE),p=i.getParameter(i.MAX_VERTEX_ATTRIBS),d=i.getParameter(i.MAX_VERTEX_UNIFORM_VECTORS),y=i.getParameter(i.MAX_VARYING_VECTORS),x=i.getParameter(i.MAX_FRAGMENT_UNIFORM_VECTORS),b=m>0,H=i.getParameter(i.MAX_SAMPLES);return{isWebGL2:!0,getMaxAnisotropy:r,getMaxPrecision:l,textureFormatReadable:o,textureTypeReadable:a,precision:c,logarithmicDepthBuffer:h,maxTextures:f,maxVertexTextures:m,maxTextureSize:_,maxCubemapSize:v,maxAttributes:p,maxVertexUniforms:d,maxVaryings:y,maxFragmentUniforms:x,vertexTextures:b,maxSamples:H}}function uv(i){const e=this;let t=null,n=0,s=!1,r=!1;const o=new Ki,a=new rt,l={value:null,needsUpdate:!1};this.uniform=l,this.numPlanes=0,this.numIntersection=0,this.init=function(h,f){const m=h.length!==0||f||n!==0||s;return s=f,n=h.length,m},this.beginShadows=function(){r=!0,u(null)},this.endShadows=function(){r=!1},this.setGlobalState=function(h,f){t=u(h,f,0)},this.setState=function(h,f,m){const _=h.clippingPlanes,v=h.clipIntersection,p=h.clipShadows,d=i.get(h);if(!s||_===null||_.length===0||r&&!p)r?u(null):c();else{const y=r?0:n,x=y*4;let b=d.clippingState||null;l.value=b,b=u(_,f,x,m);for(let H=0;H!==x;++H)b[H]=t[H];d.clippingState=b,this.numIntersection=v?this.numPlanes:0,this.numPlanes+=y}};function c(){l.value!==t&&(l.value=t,l.needsUpdate=n>0),e.numPlanes=n,e.numIntersection=0}function u(h,f,m,_){const v=h!==null?h.length:0;let p=null;if(v!==0){if(p=l.value,_!==!0||p===null){const d=m+v*4,y=f.matrixWorldInverse;a.getNormalMatrix(y),(p===null||p.length<d)&&(p=new Float32Array(d));for(let x=0,b=m;x!==v;++x,b+=4)o.copy(h[x]).applyMatrix4(y,a),o.normal.toArray(p,b),p[b+3]=o.constant}l.value=p,l.needsUpdate=!0}return e.numPlanes=v,e.numIntersection=0,p}}function hv(i){let e=new WeakMap;function t(o,a){return a===Ol?o.mapping=_r:a===Fl&&(o.mapping=vr),o}function n(o){if(o&&o.isTexture){const a=o.mapping;if(a===Ol||a===Fl)if(e.has(o)){const l=e.get(o).texture;return t(l,o.mapping)}else{const l=o.image;if(l&&l.height>0){const c=new yg(l.height);return c.fromEquirectangularTexture(i,o),e.set(o,c),o.addEventListener("dispose",s),t(c.texture,o.mapping)}else return null}}return o}function s(o){const a=o.target;a.removeEventListener("dispose",s);const l=e.get(a);l!==void 0&&(e.delete(a),l.dispose())}function r(){e=new WeakMap}return{get:n,dispose:r}}class fv extends sd{constructor(e=-1,t=1,n=1,s=-1,r=.1,o=2e3){super(),this.isOrthographicCamera=!0,this.type="OrthographicCamera",this.zoom=1,this.view=null,this.left=e,this.right=t,this.top=n,this.bottom=s,this.near=r,this.far=o,this.updateProjectionMatrix()}copy(e,t){return super.copy(e,t),this.left=e.left,this.right=e.right,this.top=e.top,this.bottom=e.bottom,this.near=e.near,this.far=e.far,this.zoom=e.zoom,this.view=e.view===null?null:Object.assign({},e.view),this}setViewOffset(e,t,n,s,r,o){this.view===null&&(this.view={enabled:!0,fullWidth:1,fullHeight:1,offsetX:0,offsetY:0,width:1,height:1}),this.view.enabled=!0,this.view.fullWidth=e,this.view.fullHeight=t,this.view.offsetX=n,this.view.offsetY=s,this.view.width=r,this.view.height=o,this.updateProjectionMatrix()}clearViewOffset(){this.view!==null&&(this.view.enabled=!1),this.updateProjectionMatrix()}updateProjectionMatrix(){const e=(this.right-this.left)/(2*this.zoom),t=(this.top-this.bottom)/(2*this.zoom),n=(this.right+this.left)/2,s=(this.top+this.bottom)/2;let r=n-e,o=n+e,a=s+t,l=s-t;if(this.view!==null&&this.view.enabled){const c=(this.right-this.left)/this.view.fullWidth/this.zoom,u=(this.top-this.bottom)/this.view.fullHeight/this.zoom;r+=c*this.view.offsetX,o=r+c*this.view.width,a-=u*this.view.offsetY,l=a-u*this.view.height}this.projectionMatrix.makeOrthographic(r,o,a,l,this.near,this.far,this.coordinateSystem),this.projectionMatrixInverse.copy(this.projectionMatrix).invert()}toJSON(e){const t=super.toJSON(e);return t.object.zoom=this.zoom,t.object.left=this.left,t.object.right=this.right,t.object.top=this.top,t.object.bottom=this.bottom,t.object.near=this.near,t.object.far=this.far,this.view!==null&&(t.object.view=Object.assign({},this.view)),t}}const ur=4,Ku=[.125,.215,.35,.446,.526,.582],xs=20,hl=new fv,Zu=new St;let fl=null,dl=0,pl=0,ml=!1;const ps=(1+Math.sqrt(5))/2,ar=1/ps,Ju=[new $(-ps,ar,0),new $(ps,ar,0),new $(-ar,0,ps),new $(ar,0,ps),new $(0,ps,-ar),new $(0,ps,ar),new $(-1,1,-1),new $(1,1,-1),new $(-1,1,1),new $(1,1,1)];class Qu{constructor(e){this._renderer=e,this._pingPongRenderTarget=null,this._lodMax=0,this._cubeSize=0,this._lodPlanes=[],this._sizeLods=[],this._sigmas=[],this._blurMaterial=null,this._cubemapMaterial=null,this._equirectMaterial=null,this._compileMaterial(this._blurMaterial)}fromScene(e,t=0,n=.1,s=100){fl=this._renderer.getRenderTarget(),dl=this._renderer.getActiveCubeFace(),pl=this._renderer.getActiveMipmapLevel(),ml=this._renderer.xr.enabled,this._renderer.xr.enabled=!1,this._setSize(256);const r=this._allocateTargets();return r.depthBuffer=!0,this._sceneToCubeUV(e,n,s,r),t>0&&this._blur(r,0,0,t),this._applyPMREM(r),this._cleanup(r),r}fromEquirectangular(e,t=null){return this._fromTexture(e,t)}fromCubemap(e,t=null){return this._fromTexture(e,t)}compileCubemapShader(){this._cubemapMaterial===null&&(this._cubemapMaterial=nh(),this._compileMaterial(this._cubemapMaterial))}compileEquirectangularShader(){this._equirectMaterial===null&&(this._equirectMaterial=th(),this._compileMaterial(this._equirectMaterial))}dispose(){this._dispose(),this._cubemapMaterial!==null&&this._cubemapMaterial.dispose(),this._equirectMaterial!==null&&this._equirectMaterial.dispose()}_setSize(e){this._lodMax=Math.floor(Math.log2(e)),this._cubeSize=Math.pow(2,this._lodMax)}_dispose(){this._blurMaterial!==null&&this._blurMaterial.dispose(),this._pingPongRenderTarget!==null&&this._pingPongRenderTarget.dispose();for(let e=0;e<this._lodPlanes.length;e++)this._lodPlanes[e].dispose()}_cleanup(e){this._renderer.setRenderTarget(fl,dl,pl),this._renderer.xr.enabled=ml,e.scissorTest=!1,Oo(e,0,0,e.width,e.height)}_fromTexture(e,t){e.mapping===_r||e.mapping===vr?this._setSize(e.image.length===0?16:e.image[0].width||e.image[0].image.width):this._setSize(e.image.width/4),fl=this._renderer.getRenderTarget(),dl=this._renderer.getActiveCubeFace(),pl=this._renderer.getActiveMipmapLevel(),ml=this._renderer.xr.enabled,this._renderer.xr.enabled=!1;const n=t||this._allocateTargets();return this._textureToCubeUV(e,n),this._applyPMREM(n),this._cleanup(n),n}_allocateTargets(){const e=3*Math.max(this._cubeSize,112),t=4*this._cubeSize,n={magFilter:li,minFilter:li,generateMipmaps:!1,type:ca,format:Mi,colorSpace:ki,depthBuffer:!1},s=eh(e,t,n);if(this._pingPongRenderTarget===null||this._pingPongRenderTarget.width!==e||this._pingPongRenderTarget.height!==t){this._pingPongRenderTarget!==null&&this._dispose(),this._pingPongRenderTarget=eh(e,t,n);const{_lodMax:r}=this;({sizeLods:this._sizeLods,lodPlanes:this._lodPlanes,sigmas:this._sigmas}=dv(r)),this._blurMaterial=pv(r,e,t)}return s}_compileMaterial(e){const t=new Rn(this._lodPlanes[0],e);this._renderer.compile(t,hl)}_sceneToCubeUV(e,t,n,s){const a=new jn(90,1,t,n),l=[1,-1,1,1,1,1],c=[1,1,1,-1,-1,-1],u=this._renderer,h=u.autoClear,f=u.toneMapping;u.getClearColor(Zu),u.toneMapping=ts,u.autoClear=!1;const m=new na({name:"PMREM.Background",side:Pn,depthWrite:!1,depthTest:!1}),_=new Rn(new oo,m);let v=!1;const p=e.background;p?p.isColor&&(m.color.copy(p),e.background=null,v=!0):(m.color.copy(Zu),v=!0);for(let d=0;d<6;d++){const y=d%3;y===0?(a.up.set(0,l[d],0),a.lookAt(c[d],0,0)):y===1?(a.up.set(0,0,l[d]),a.lookAt(0,c[d],0)):(a.up.set(0,l[d],0),a.lookAt(0,0,c[d]));const x=this._cubeSize;Oo(s,y*x,d>2?x:0,x,x),u.setRenderTarget(s),v&&u.render(_,a),u.render(e,a)}_.geometry.dispose(),_.material.dispose(),u.toneMapping=f,u.autoClear=h,e.background=p}_textureToCubeUV(e,t){const n=this._renderer,s=e.mapping===_r||e.mapping===vr;s?(this._cubemapMaterial===null&&(this._cubemapMaterial=nh()),this._cubemapMaterial.uniforms.flipEnvMap.value=e.isRenderTargetTexture===!1?-1:1):this._equirectMaterial===null&&(this._equirectMaterial=th());const r=s?this._cubemapMaterial:this._equirectMaterial,o=new Rn(this._lodPlanes[0],r),a=r.uniforms;a.envMap.value=e;const l=this._cubeSize;Oo(t,0,0,3*l,2*l),n.setRenderTarget(t),n.render(o,hl)}_applyPMREM(e){const t=this._renderer,n=t.autoClear;t.autoClear=!1;const s=this._lodPlanes.length;for(let r=1;r<s;r++){const o=Math.sqrt(this._sigmas[r]*this._sigmas[r]-this._sigmas[r-1]*this._sigmas[r-1]),a=Ju[(s-r-1)%Ju.length];this._blur(e,r-1,r,o,a)}t.autoClear=n}_blur(e,t,n,s,r){const o=this._pingPongRenderTarget;this._halfBlur(e,o,t,n,s,"latitudinal",r),this._halfBlur(o,e,n,n,s,"longitudinal",r)}_halfBlur(e,t,n,s,r,o,a){const l=this._renderer,c=this._blurMaterial;o!=="latitudinal"&&o!=="longitudinal"&&console.error("blur direction must be either latitudinal or longitudinal!");const u=3,h=new Rn(this._lodPlanes[s],c),f=c.uniforms,m=this._sizeLods[n]-1,_=isFinite(r)?Math.PI/(2*m):2*Math.PI/(2*xs-1),v=r/_,p=isFinite(r)?1+Math.floor(u*v):xs;p>xs&&console.warn(`sigmaRadians, ${r}, is too large and will clip, as it requested ${p} samples when the maximum is set to ${xs}`);const d=[];let y=0;for(let R=0;R<xs;++R){const z=R/v,w=Math.exp(-z*z/2);d.push(w),R===0?y+=w:R<p&&(y+=2*w)}for(let R=0;R<d.length;R++)d[R]=d[R]/y;f.envMap.value=e.texture,f.samples.value=p,f.weights.value=d,f.latitudinal.value=o==="latitudinal",a&&(f.poleAxis.value=a);const{_lodMax:x}=this;f.dTheta.value=_,f.mipInt.value=x-n;const b=this._sizeLods[s],H=3*b*(s>x-ur?s-x+ur:0),T=4*(this._cubeSize-b);Oo(t,H,T,3*b,2*b),l.setRenderTarget(t),l.render(h,hl)}}function dv(i){const e=[],t=[],n=[];let s=i;const r=i-ur+1+Ku.length;for(let o=0;o<r;o++){const a=Math.pow(2,s);t.push(a);let l=1/a;o>i-ur?l=Ku[o-i+ur-1]:o===0&&(l=0),n.push(l);const c=1/(a-2),u=-c,h=1+c,f=[u,u,h,u,h,h,u,u,h,h,u,h],m=6,_=6,v=3,p=2,d=1,y=new Float32Array(v*_*m),x=new Float32Array(p*_*m),b=new Float32Array(d*_*m);for(let T=0;T<m;T++){const R=T%3*2/3-1,z=T>2?0:-1,w=[R,z,0,R+2/3,z,0,R+2/3,z+1,0,R,z,0,R+2/3,z+1,0,R,z+1,0];y.set(w,v*_*T),x.set(f,p*_*T);const M=[T,T,T,T,T,T];b.set(M,d*_*T)}const H=new ui;H.setAttribute("position",new En(y,v)),H.setAttribute("uv",new En(x,p)),H.setAttribute("faceIndex",new En(b,d)),e.push(H),s>ur&&s--}return{lodPlanes:e,sizeLods:t,sigmas:n}}function eh(i,e,t){const n=new Ts(i,e,t);return n.texture.mapping=la,n.texture.name="PMREM.cubeUv",n.scissorTest=!0,n}function Oo(i,e,t,n,s){i.viewport.set(e,t,n,s),i.scissor.set(e,t,n,s)}function pv(i,e,t){const n=new Float32Array(xs),s=new $(0,1,0);return new yi({name:"SphericalGaussianBlur",defines:{n:xs,CUBEUV_TEXEL_WIDTH:1/e,CUBEUV_TEXEL_HEIGHT:1/t,CUBEUV_MAX_MIP:`${i}.0`},uniforms:{envMap:{value:null},samples:{value:1},weights:{value:n},latitudinal:{value:!1},dTheta:{value:0},mipInt:{value:0},poleAxis:{value:s}},vertexShader:ac(),fragmentShader:`

			precision mediump float;
			precision mediump int;

			varying vec3 vOutputDirection;

			uniform sampler2D envMap;
			uniform int samples;
			uniform float weights[ n ];
			uniform bool latitudinal;
			uniform float dTheta;
			uniform float mipInt;
			uniform vec3 poleAxis;

			#define ENVMAP_TYPE_CUBE_UV
			#include <cube_uv_reflection_fragment>

			vec3 getSample( float theta, vec3 axis ) {

				float cosTheta = cos( theta );
				// Rodrigues' axis-angle rotation
				vec3 sampleDirection = vOutputDirection * cosTheta
					+ cross( axis, vOutputDirection ) * sin( theta )
					+ axis * dot( axis, vOutputDirection ) * ( 1.0 - cosTheta );

				return bilinearCubeUV( envMap, sampleDirection, mipInt );

			}

			void main() {

				vec3 axis = latitudinal ? poleAxis : cross( poleAxis, vOutputDirection );

				if ( all( equal( axis, vec3( 0.0 ) ) ) ) {

					axis = vec3( vOutputDirection.z, 0.0, - vOutputDirection.x );

				}

				axis = normalize( axis );

				gl_FragColor = vec4( 0.0, 0.0, 0.0, 1.0 );
				gl_FragColor.rgb += weights[ 0 ] * getSample( 0.0, axis );

				for ( int i = 1; i < n; i++ ) {

					if ( i >= samples ) {

						break;

					}

					float theta = dTheta * float( i );
					gl_FragColor.rgb += weights[ i ] * getSample( -1.0 * theta, axis );
					gl_FragColor.rgb += weights[ i ] * getSample( theta, axis );

				}

			}
		`,blending:es,depthTest:!1,depthWrite:!1})}function th(){return new yi({name:"EquirectangularToCubeUV",uniforms:{envMap:{value:null}},vertexShader:ac(),fragmentShader:`

			precision mediump float;
			precision mediump int;

			varying vec3 vOutputDirection;

			uniform sampler2D envMap;

			#include <common>

			void main() {

				vec3 outputDirection = normalize( vOutputDirection );
				vec2 uv = equirectUv( outputDirection );

				gl_FragColor = vec4( texture2D ( envMap, uv ).rgb, 1.0 );

			}
		`,blending:es,depthTest:!1,depthWrite:!1})}function nh(){return new yi({name:"CubemapToCubeUV",uniforms:{envMap:{value:null},flipEnvMap:{value:-1}},vertexShader:ac(),fragmentShader:`

			precision mediump float;
			precision mediump int;

			uniform float flipEnvMap;

			varying vec3 vOutputDirection;

			uniform samplerCube envMap;

			void main() {

				gl_FragColor = textureCube( envMap, vec3( flipEnvMap * vOutputDirection.x, vOutputDirection.yz ) );

			}
		`,blending:es,depthTest:!1,depthWrite:!1})}function ac(){return`

		precision mediump float;
		precision mediump int;

		attribute float faceIndex;

		varying vec3 vOutputDirection;

		// RH coordinate system; PMREM face-indexing convention
		vec3 getDirection( vec2 uv, float face ) {

			uv = 2.0 * uv - 1.0;

			vec3 direction = vec3( uv, 1.0 );

			if ( face == 0.0 ) {

				direction = direction.zyx; // ( 1, v, u ) pos x

			} else if ( face == 1.0 ) {

				direction = direction.xzy;
				direction.xz *= -1.0; // ( -u, 1, -v ) pos y

			} else if ( face == 2.0 ) {

				direction.x *= -1.0; // ( -u, v, 1 ) pos z

			} else if ( face == 3.0 ) {

				direction = direction.zyx;
				direction.xz *= -1.0; // ( -1, v, -u ) neg x

			} else if ( face == 4.0 ) {

				direction = direction.xzy;
				direction.xy *= -1.0; // ( -u, -1, v ) neg y

			} else if ( face == 5.0 ) {

				direction.z *= -1.0; // ( u, v, -1 ) neg z

			}

			return direction;

		}

		void main() {

			vOutputDirection = getDirection( uv, faceIndex );
			gl_Position = vec4( position, 1.0 );

		}
	`}function mv(i){let e=new WeakMap,t=null;function n(a){if(a&&a.isTexture){const l=a.mapping,c=l===Ol||l===Fl,u=l===_r||l===vr;if(c||u){let h=e.get(a);const f=h!==void 0?h.texture.pmremVersion:0;if(a.isRenderTargetTexture&&a.pmremVersion!==f)return t===null&&(t=new Qu(i)),h=c?t.fromEquirectangular(a,h):t.fromCubemap(a,h),h.texture.pmremVersion=a.pmremVersion,e.set(a,h),h.texture;if(h!==void 0)return h.texture;{const m=a.image;return c&&m&&m.height>0||u&&m&&s(m)?(t===null&&(t=new Qu(i)),h=c?t.fromEquirectangular(a):t.fromCubemap(a),h.texture.pmremVersion=a.pmremVersion,e.set(a,h),a.addEventListener("dispose",r),h.texture):null}}}return a}function s(a){let l=0;const c=6;for(let u=0;u<c;u++)a[u]!==void 0&&l++;return l===c}function r(a){const l=a.target;l.removeEventListener("dispose",r);const c=e.get(l);c!==void 0&&(e.delete(l),c.dispose())}function o(){e=new WeakMap,t!==null&&(t.dispose(),t=null)}return{get:n,dispose:o}}function gv(i){const e={};function t(n){if(e[n]!==void 0)return e[n];let s;switch(n){case"WEBGL_depth_texture":s=i.getExtension("WEBGL_depth_texture")||i.getExtension("MOZ_WEBGL_depth_texture")||i.getExtension("WEBKIT_WEBGL_depth_texture");break;case"EXT_texture_filter_anisotropic":s=i.getExtension("EXT_texture_filter_anisotropic")||i.getExtension("MOZ_EXT_texture_filter_anisotropic")||i.getExtension("WEBKIT_EXT_texture_filter_anisotropic");break;case"WEBGL_compressed_texture_s3tc":s=i.getExtension("WEBGL_compressed_texture_s3tc")||i.getExtension("MOZ_WEBGL_compressed_texture_s3tc")||i.getExtension("WEBKIT_WEBGL_compressed_texture_s3tc");break;case"WEBGL_compressed_texture_pvrtc":s=i.getExtension("WEBGL_compressed_texture_pvrtc")||i.getExtension("WEBKIT_WEBGL_compressed_texture_pvrtc");break;default:s=i.getExtension(n)}return e[n]=s,s}return{has:function(n){return t(n)!==null},init:function(){t("EXT_color_buffer_float"),t("WEBGL_clip_cull_distance"),t("OES_texture_float_linear"),t("EXT_color_buffer_half_float"),t("WEBGL_multisampled_render_to_texture"),t("WEBGL_render_shared_exponent")},get:function(n){const s=t(n);return s===null&&console.warn("THREE.WebGLRenderer: "+n+" extension not supported."),s}}}function _v(i,e,t,n){const s={},r=new WeakMap;function o(h){const f=h.target;f.index!==null&&e.remove(f.index);for(const _ in f.attributes)e.remove(f.attributes[_]);for(const _ in f.morphAttributes){const v=f.morphAttributes[_];for(let p=0,d=v.length;p<d;p++)e.remove(v[p])}f.removeEventListener("dispose",o),delete s[f.id];const m=r.get(f);m&&(e.remove(m),r.delete(f)),n.releaseStatesOfGeometry(f),f.isInstancedBufferGeometry===!0&&delete f._maxInstanceCount,t.memory.geometries--}function a(h,f){return s[f.id]===!0||(f.addEventListener("dispose",o),s[f.id]=!0,t.memory.geometries++),f}function l(h){const f=h.attributes;for(const _ in f)e.update(f[_],i.ARRAY_BUFFER);const m=h.morphAttributes;for(const _ in m){const v=m[_];for(let p=0,d=v.length;p<d;p++)e.update(v[p],i.ARRAY_BUFFER)}}function c(h){const f=[],m=h.index,_=h.attributes.position;let v=0;if(m!==null){const y=m.array;v=m.version;for(let x=0,b=y.length;x<b;x+=3){const H=y[x+0],T=y[x+1],R=y[x+2];f.push(H,T,T,R,R,H)}}else if(_!==void 0){const y=_.array;v=_.version;for(let x=0,b=y.length/3-1;x<b;x+=3){const H=x+0,T=x+1,R=x+2;f.push(H,T,T,R,R,H)}}else return;const p=new(Zf(f)?nd:td)(f,1);p.version=v;const d=r.get(h);d&&e.remove(d),r.set(h,p)}function u(h){const f=r.get(h);if(f){const m=h.index;m!==null&&f.version<m.version&&c(h)}else c(h);return r.get(h)}return{get:a,update:l,getWireframeAttribute:u}}function vv(i,e,t){let n;function s(f){n=f}let r,o;function a(f){r=f.type,o=f.bytesPerElement}function l(f,m){i.drawElements(n,m,r,f*o),t.update(m,n,1)}function c(f,m,_){_!==0&&(i.drawElementsInstanced(n,m,r,f*o,_),t.update(m,n,_))}function u(f,m,_){if(_===0)return;const v=e.get("WEBGL_multi_draw");if(v===null)for(let p=0;p<_;p++)this.render(f[p]/o,m[p]);else{v.multiDrawElementsWEBGL(n,m,0,r,f,0,_);let p=0;for(let d=0;d<_;d++)p+=m[d];t.update(p,n,1)}}function h(f,m,_,v){if(_===0)return;const p=e.get("WEBGL_multi_draw");if(p===null)for(let d=0;d<f.length;d++)c(f[d]/o,m[d],v[d]);else{p.multiDrawElementsInstancedWEBGL(n,m,0,r,f,0,v,0,_);let d=0;for(let y=0;y<_;y++)d+=m[y];for(let y=0;y<v.length;y++)t.update(d,n,v[y])}}this.setMode=s,this.setIndex=a,this.render=l,this.renderInstances=c,this.renderMultiDraw=u,this.renderMultiDrawInstances=h}function xv(i){const e={geometries:0,textures:0},t={frame:0,calls:0,triangles:0,points:0,lines:0};function n(r,o,a){switch(t.calls++,o){case i.TRIANGLES:t.triangles+=a*(r/3);break;case i.LINES:t.lines+=a*(r/2);break;case i.LINE_STRIP:t.lines+=a*(r-1);break;case i.LINE_LOOP:t.lines+=a*r;break;case i.POINTS:t.points+=a*r;break;default:console.error("THREE.WebGLInfo: Unknown draw mode:",o);break}}function s(){t.calls=0,t.triangles=0,t.points=0,t.lines=0}return{memory:e,render:t,programs:null,autoReset:!0,reset:s,update:n}}function Mv(i,e,t){const n=new WeakMap,s=new un;function r(o,a,l){const c=o.morphTargetInfluences,u=a.morphAttributes.position||a.morphAttributes.normal||a.morphAttributes.color,h=u!==void 0?u.length:0;let f=n.get(a);if(f===void 0||f.count!==h){let M=function(){z.dispose(),n.delete(a),a.removeEventListener("dispose",M)};var m=M;f!==void 0&&f.texture.dispose();const _=a.morphAttributes.position!==void 0,v=a.morphAttributes.normal!==void 0,p=a.morphAttributes.color!==void 0,d=a.morphAttributes.position||[],y=a.morphAttributes.normal||[],x=a.morphAttributes.color||[];let b=0;_===!0&&(b=1),v===!0&&(b=2),p===!0&&(b=3);let H=a.attributes.position.count*b,T=1;H>e.maxTextureSize&&(T=Math.ceil(H/e.maxTextureSize),H=e.maxTextureSize);const R=new Float32Array(H*T*4*h),z=new Qf(R,H,T,h);z.type=Qi,z.needsUpdate=!0;const w=b*4;for(let U=0;U<h;U++){const G=d[U],N=y[U],Z=x[U],X=H*T*4*U;for(let se=0;se<G.count;se++){const te=se*w;_===!0&&(s.fromBufferAttribute(G,se),R[X+te+0]=s.x,R[X+te+1]=s.y,R[X+te+2]=s.z,R[X+te+3]=0),v===!0&&(s.fromBufferAttribute(N,se),R[X+te+4]=s.x,R[X+te+5]=s.y,R[X+te+6]=s.z,R[X+te+7]=0),p===!0&&(s.fromBufferAttribute(Z,se),R[X+te+8]=s.x,R[X+te+9]=s.y,R[X+te+10]=s.z,R[X+te+11]=Z.itemSize===4?s.w:1)}}f={count:h,texture:z,size:new ze(H,T)},n.set(a,f),a.addEventListener("dispose",M)}if(o.isInstancedMesh===!0&&o.morphTexture!==null)l.getUniforms().setValue(i,"morphTexture",o.morphTexture,t);else{let _=0;for(let p=0;p<c.length;p++)_+=c[p];const v=a.morphTargetsRelative?1:1-_;l.getUniforms().setValue(i,"morphTargetBaseInfluence",v),l.getUniforms().setValue(i,"morphTargetInfluences",c)}l.getUniforms().setValue(i,"morphTargetsTexture",f.texture,t),l.getUniforms().setValue(i,"morphTargetsTextureSize",f.size)}return{update:r}}function Sv(i,e,t,n){let s=new WeakMap;function r(l){const c=n.render.frame,u=l.geometry,h=e.get(l,u);if(s.get(h)!==c&&(e.update(h),s.set(h,c)),l.isInstancedMesh&&(l.hasEventListener("dispose",a)===!1&&l.addEventListener("dispose",a),s.get(l)!==c&&(t.update(l.instanceMatrix,i.ARRAY_BUFFER),l.instanceColor!==null&&t.update(l.instanceColor,i.ARRAY_BUFFER),s.set(l,c))),l.isSkinnedMesh){const f=l.skeleton;s.get(f)!==c&&(f.update(),s.set(f,c))}return h}function o(){s=new WeakMap}function a(l){const c=l.target;c.removeEventListener("dispose",a),t.remove(c.instanceMatrix),c.instanceColor!==null&&t.remove(c.instanceColor)}return{update:r,dispose:o}}class ld extends yn{constructor(e,t,n,s,r,o,a,l,c,u){if(u=u!==void 0?u:dr,u!==dr&&u!==Jr)throw new Error("DepthTexture format must be either THREE.DepthFormat or THREE.DepthStencilFormat");n===void 0&&u===dr&&(n=xr),n===void 0&&u===Jr&&(n=io),super(null,s,r,o,a,l,u,n,c),this.isDepthTexture=!0,this.image={width:e,height:t},this.magFilter=a!==void 0?a:An,this.minFilter=l!==void 0?l:An,this.flipY=!1,this.generateMipmaps=!1,this.compareFunction=null}copy(e){return super.copy(e),this.compareFunction=e.compareFunction,this}toJSON(e){const t=super.toJSON(e);return this.compareFunction!==null&&(t.compareFunction=this.compareFunction),t}}const cd=new yn,ud=new ld(1,1);ud.compareFunction=Kf;const hd=new Qf,fd=new og,dd=new rd,ih=[],sh=[],rh=new Float32Array(16),oh=new Float32Array(9),ah=new Float32Array(4);function wr(i,e,t){const n=i[0];if(n<=0||n>0)return i;const s=e*t;let r=ih[s];if(r===void 0&&(r=new Float32Array(s),ih[s]=r),e!==0){n.toArray(r,0);for(let o=1,a=0;o!==e;++o)a+=t,i[o].toArray(r,a)}return r}function jt(i,e){if(i.length!==e.length)return!1;for(let t=0,n=i.length;t<n;t++)if(i[t]!==e[t])return!1;return!0}function Kt(i,e){for(let t=0,n=e.length;t<n;t++)i[t]=e[t]}function da(i,e){let t=sh[e];t===void 0&&(t=new Int32Array(e),sh[e]=t);for(let n=0;n!==e;++n)t[n]=i.allocateTextureUnit();return t}function yv(i,e){const t=this.cache;t[0]!==e&&(i.uniform1f(this.addr,e),t[0]=e)}function Ev(i,e){const t=this.cache;if(e.x!==void 0)(t[0]!==e.x||t[1]!==e.y)&&(i.uniform2f(this.addr,e.x,e.y),t[0]=e.x,t[1]=e.y);else{if(jt(t,e))return;i.uniform2fv(this.addr,e),Kt(t,e)}}function bv(i,e){const t=this.cache;if(e.x!==void 0)(t[0]!==e.x||t[1]!==e.y||t[2]!==e.z)&&(i.uniform3f(this.addr,e.x,e.y,e.z),t[0]=e.x,t[1]=e.y,t[2]=e.z);else if(e.r!==void 0)(t[0]!==e.r||t[1]!==e.g||t[2]!==e.b)&&(i.uniform3f(this.addr,e.r,e.g,e.b),t[0]=e.r,t[1]=e.g,t[2]=e.b);else{if(jt(t,e))return;i.uniform3fv(this.addr,e),Kt(t,e)}}function wv(i,e){const t=this.cache;if(e.x!==void 0)(t[0]!==e.x||t[1]!==e.y||t[2]!==e.z||t[3]!==e.w)&&(i.uniform4f(this.addr,e.x,e.y,e.z,e.w),t[0]=e.x,t[1]=e.y,t[2]=e.z,t[3]=e.w);else{if(jt(t,e))return;i.uniform4fv(this.addr,e),Kt(t,e)}}function Tv(i,e){const t=this.cache,n=e.elements;if(n===void 0){if(jt(t,e))return;i.uniformMatrix2fv(this.addr,!1,e),Kt(t,e)}else{if(jt(t,n))return;ah.set(n),i.uniformMatrix2fv(this.addr,!1,ah),Kt(t,n)}}function Av(i,e){const t=this.cache,n=e.elements;if(n===void 0){if(jt(t,e))return;i.uniformMatrix3fv(this.addr,!1,e),Kt(t,e)}else{if(jt(t,n))return;oh.set(n),i.uniformMatrix3fv(this.addr,!1,oh),Kt(t,n)}}function Rv(i,e){const t=this.cache,n=e.elements;if(n===void 0){if(jt(t,e))return;i.uniformMatrix4fv(this.addr,!1,e),Kt(t,e)}else{if(jt(t,n))return;rh.set(n),i.uniformMatrix4fv(this.addr,!1,rh),Kt(t,n)}}function Cv(i,e){const t=this.cache;t[0]!==e&&(i.uniform1i(this.addr,e),t[0]=e)}function Pv(i,e){const t=this.cache;if(e.x!==void 0)(t[0]!==e.x||t[1]!==e.y)&&(i.uniform2i(this.addr,e.x,e.y),t[0]=e.x,t[1]=e.y);else{if(jt(t,e))return;i.uniform2iv(this.addr,e),Kt(t,e)}}function Lv(i,e){const t=this.cache;if(e.x!==void 0)(t[0]!==e.x||t[1]!==e.y||t[2]!==e.z)&&(i.uniform3i(this.addr,e.x,e.y,e.z),t[0]=e.x,t[1]=e.y,t[2]=e.z);else{if(jt(t,e))return;i.uniform3iv(this.addr,e),Kt(t,e)}}function Dv(i,e){const t=this.cache;if(e.x!==void 0)(t[0]!==e.x||t[1]!==e.y||t[2]!==e.z||t[3]!==e.w)&&(i.uniform4i(this.addr,e.x,e.y,e.z,e.w),t[0]=e.x,t[1]=e.y,t[2]=e.z,t[3]=e.w);else{if(jt(t,e))return;i.uniform4iv(this.addr,e),Kt(t,e)}}function Uv(i,e){const t=this.cache;t[0]!==e&&(i.uniform1ui(this.addr,e),t[0]=e)}function Iv(i,e){const t=this.cache;if(e.x!==void 0)(t[0]!==e.x||t[1]!==e.y)&&(i.uniform2ui(this.addr,e.x,e.y),t[0]=e.x,t[1]=e.y);else{if(jt(t,e))return;i.uniform2uiv(this.addr,e),Kt(t,e)}}function Nv(i,e){const t=this.cache;if(e.x!==void 0)(t[0]!==e.x||t[1]!==e.y||t[2]!==e.z)&&(i.uniform3ui(this.addr,e.x,e.y,e.z),t[0]=e.x,t[1]=e.y,t[2]=e.z);else{if(jt(t,e))return;i.uniform3uiv(this.addr,e),Kt(t,e)}}function Ov(i,e){const t=this.cache;if(e.x!==void 0)(t[0]!==e.x||t[1]!==e.y||t[2]!==e.z||t[3]!==e.w)&&(i.uniform4ui(this.addr,e.x,e.y,e.z,e.w),t[0]=e.x,t[1]=e.y,t[2]=e.z,t[3]=e.w);else{if(jt(t,e))return;i.uniform4uiv(this.addr,e),Kt(t,e)}}function Fv(i,e,t){const n=this.cache,s=t.allocateTextureUnit();n[0]!==s&&(i.uniform1i(this.addr,s),n[0]=s);const r=this.type===i.SAMPLER_2D_SHADOW?ud:cd;t.setTexture2D(e||r,s)}function kv(i,e,t){const n=this.cache,s=t.allocateTextureUnit();n[0]!==s&&(i.uniform1i(this.addr,s),n[0]=s),t.setTexture3D(e||fd,s)}function Bv(i,e,t){const n=this.cache,s=t.allocateTextureUnit();n[0]!==s&&(i.uniform1i(this.addr,s),n[0]=s),t.setTextureCube(e||dd,s)}function zv(i,e,t){const n=this.cache,s=t.allocateTextureUnit();n[0]!==s&&(i.uniform1i(this.addr,s),n[0]=s),t.setTexture2DArray(e||hd,s)}function Hv(i){switch(i){case 5126:return yv;case 35664:return Ev;case 35665:return bv;case 35666:return wv;case 35674:return Tv;case 35675:return Av;case 35676:return Rv;case 5124:case 35670:return Cv;case 35667:case 35671:return Pv;case 35668:case 35672:return Lv;case 35669:case 35673:return Dv;case 5125:return Uv;case 36294:return Iv;case 36295:return Nv;case 36296:return Ov;case 35678:case 36198:case 36298:case 36306:case 35682:return Fv;case 35679:case 36299:case 36307:return kv;case 35680:case 36300:case 36308:case 36293:return Bv;case 36289:case 36303:case 36311:case 36292:return zv}}function Vv(i,e){i.uniform1fv(this.addr,e)}function Gv(i,e){const t=wr(e,this.size,2);i.uniform2fv(this.addr,t)}function Wv(i,e){const t=wr(e,this.size,3);i.uniform3fv(this.addr,t)}function Xv(i,e){const t=wr(e,this.size,4);i.uniform4fv(this.addr,t)}function $v(i,e){const t=wr(e,this.size,4);i.uniformMatrix2fv(this.addr,!1,t)}function Yv(i,e){const t=wr(e,this.size,9);i.uniformMatrix3fv(this.addr,!1,t)}function qv(i,e){const t=wr(e,this.size,16);i.uniformMatrix4fv(this.addr,!1,t)}function jv(i,e){i.uniform1iv(this.addr,e)}function Kv(i,e){i.uniform2iv(this.addr,e)}function Zv(i,e){i.uniform3iv(this.addr,e)}function Jv(i,e){i.uniform4iv(this.addr,e)}function Qv(i,e){i.uniform1uiv(this.addr,e)}function ex(i,e){i.uniform2uiv(this.addr,e)}function tx(i,e){i.uniform3uiv(this.addr,e)}function nx(i,e){i.uniform4uiv(this.addr,e)}function ix(i,e,t){const n=this.cache,s=e.length,r=da(t,s);jt(n,r)||(i.uniform1iv(this.addr,r),Kt(n,r));for(let o=0;o!==s;++o)t.setTexture2D(e[o]||cd,r[o])}function sx(i,e,t){const n=this.cache,s=e.length,r=da(t,s);jt(n,r)||(i.uniform1iv(this.addr,r),Kt(n,r));for(let o=0;o!==s;++o)t.setTexture3D(e[o]||fd,r[o])}function rx(i,e,t){const n=this.cache,s=e.length,r=da(t,s);jt(n,r)||(i.uniform1iv(this.addr,r),Kt(n,r));for(let o=0;o!==s;++o)t.setTextureCube(e[o]||dd,r[o])}function ox(i,e,t){const n=this.cache,s=e.length,r=da(t,s);jt(n,r)||(i.uniform1iv(this.addr,r),Kt(n,r));for(let o=0;o!==s;++o)t.setTexture2DArray(e[o]||hd,r[o])}function ax(i){switch(i){case 5126:return Vv;case 35664:return Gv;case 35665:return Wv;case 35666:return Xv;case 35674:return $v;case 35675:return Yv;case 35676:return qv;case 5124:case 35670:return jv;case 35667:case 35671:return Kv;case 35668:case 35672:return Zv;case 35669:case 35673:return Jv;case 5125:return Qv;case 36294:return ex;case 36295:return tx;case 36296:return nx;case 35678:case 36198:case 36298:case 36306:case 35682:return ix;case 35679:case 36299:case 36307:return sx;case 35680:case 36300:case 36308:case 36293:return rx;case 36289:case 36303:case 36311:case 36292:return ox}}class lx{constructor(e,t,n){this.id=e,this.addr=n,this.cache=[],this.type=t.type,this.setValue=Hv(t.type)}}class cx{constructor(e,t,n){this.id=e,this.addr=n,this.cache=[],this.type=t.type,this.size=t.size,this.setValue=ax(t.type)}}class ux{constructor(e){this.id=e,this.seq=[],this.map={}}setValue(e,t,n){const s=this.seq;for(let r=0,o=s.length;r!==o;++r){const a=s[r];a.setValue(e,t[a.id],n)}}}const gl=/(\w+)(\])?(\[|\.)?/g;function lh(i,e){i.seq.push(e),i.map[e.id]=e}function hx(i,e,t){const n=i.name,s=n.length;for(gl.lastIndex=0;;){const r=gl.exec(n),o=gl.lastIndex;let a=r[1];const l=r[2]==="]",c=r[3];if(l&&(a=a|0),c===void 0||c==="["&&o+2===s){lh(t,c===void 0?new lx(a,i,e):new cx(a,i,e));break}else{let h=t.map[a];h===void 0&&(h=new ux(a),lh(t,h)),t=h}}}class Xo{constructor(e,t){this.seq=[],this.map={};const n=e.getProgramParameter(t,e.ACTIVE_UNIFORMS);for(let s=0;s<n;++s){const r=e.getActiveUniform(t,s),o=e.getUniformLocation(t,r.name);hx(r,o,this)}}setValue(e,t,n,s){const r=this.map[t];r!==void 0&&r.setValue(e,n,s)}setOptional(e,t,n){const s=t[n];s!==void 0&&this.setValue(e,n,s)}static upload(e,t,n,s){for(let r=0,o=t.length;r!==o;++r){const a=t[r],l=n[a.id];l.needsUpdate!==!1&&a.setValue(e,l.value,s)}}static seqWithValue(e,t){const n=[];for(let s=0,r=e.length;s!==r;++s){const o=e[s];o.id in t&&n.push(o)}return n}}function ch(i,e,t){const n=i.createShader(e);return i.shaderSource(n,t),i.compileShader(n),n}const fx=37297;let dx=0;function px(i,e){const t=i.split(`
`),n=[],s=Math.max(e-6,0),r=Math.min(e+6,t.length);for(let o=s;o<r;o++){const a=o+1;n.push(`${a===e?">":" "} ${a}: ${t[o]}`)}return n.join(`
`)}function mx(i){const e=vt.getPrimaries(vt.workingColorSpace),t=vt.getPrimaries(i);let n;switch(e===t?n="":e===Qo&&t===Jo?n="LinearDisplayP3ToLinearSRGB":e===Jo&&t===Qo&&(n="LinearSRGBToLinearDisplayP3"),i){case ki:case ua:return[n,"LinearTransferOETF"];case gi:case ic:return[n,"sRGBTransferOETF"];default:return console.warn("THREE.WebGLProgram: Unsupported color space:",i),[n,"LinearTransferOETF"]}}function uh(i,e,t){const n=i.getShaderParameter(e,i.COMPILE_STATUS),s=i.getShaderInfoLog(e).trim();if(n&&s==="")return"";const r=/ERROR: 0:(\d+)/.exec(s);if(r){const o=parseInt(r[1]);return t.toUpperCase()+`

`+s+`

`+px(i.getShaderSource(e),o)}else return s}function gx(i,e){const t=mx(e);return`vec4 ${i}( vec4 value ) { return ${t[0]}( ${t[1]}( value ) ); }`}function _x(i,e){let t;switch(e){case Sm:t="Linear";break;case ym:t="Reinhard";break;case Em:t="OptimizedCineon";break;case bm:t="ACESFilmic";break;case Tm:t="AgX";break;case Am:t="Neutral";break;case wm:t="Custom";break;default:console.warn("THREE.WebGLProgram: Unsupported toneMapping:",e),t="Linear"}return"vec3 "+i+"( vec3 color ) { return "+t+"ToneMapping( color ); }"}function vx(i){return[i.extensionClipCullDistance?"#extension GL_ANGLE_clip_cull_distance : require":"",i.extensionMultiDraw?"#extension GL_ANGLE_multi_draw : require":""].filter(Wr).join(`
`)}function xx(i){const e=[];for(const t in i){const n=i[t];n!==!1&&e.push("#define "+t+" "+n)}return e.join(`
`)}function Mx(i,e){const t={},n=i.getProgramParameter(e,i.ACTIVE_ATTRIBUTES);for(let s=0;s<n;s++){const r=i.getActiveAttrib(e,s),o=r.name;let a=1;r.type===i.FLOAT_MAT2&&(a=2),r.type===i.FLOAT_MAT3&&(a=3),r.type===i.FLOAT_MAT4&&(a=4),t[o]={type:r.type,location:i.getAttribLocation(e,o),locationSize:a}}return t}function Wr(i){return i!==""}function hh(i,e){const t=e.numSpotLightShadows+e.numSpotLightMaps-e.numSpotLightShadowsWithMaps;return i.replace(/NUM_DIR_LIGHTS/g,e.numDirLights).replace(/NUM_SPOT_LIGHTS/g,e.numSpotLights).replace(/NUM_SPOT_LIGHT_MAPS/g,e.numSpotLightMaps).replace(/NUM_SPOT_LIGHT_COORDS/g,t).replace(/NUM_RECT_AREA_LIGHTS/g,e.numRectAreaLights).replace(/NUM_POINT_LIGHTS/g,e.numPointLights).replace(/NUM_HEMI_LIGHTS/g,e.numHemiLights).replace(/NUM_DIR_LIGHT_SHADOWS/g,e.numDirLightShadows).replace(/NUM_SPOT_LIGHT_SHADOWS_WITH_MAPS/g,e.numSpotLightShadowsWithMaps).replace(/NUM_SPOT_LIGHT_SHADOWS/g,e.numSpotLightShadows).replace(/NUM_POINT_LIGHT_SHADOWS/g,e.numPointLightShadows)}function fh(i,e){return i.replace(/NUM_CLIPPING_PLANES/g,e.numClippingPlanes).replace(/UNION_CLIPPING_PLANES/g,e.numClippingPlanes-e.numClipIntersection)}const Sx=/^[ \t]*#include +<([\w\d./]+)>/gm;function Hl(i){return i.replace(Sx,Ex)}const yx=new Map;function Ex(i,e){let t=st[e];if(t===void 0){const n=yx.get(e);if(n!==void 0)t=st[n],console.warn('THREE.WebGLRenderer: Shader chunk "%s" has been deprecated. Use "%s" instead.',e,n);else throw new Error("Can not resolve #include <"+e+">")}return Hl(t)}const bx=/#pragma unroll_loop_start\s+for\s*\(\s*int\s+i\s*=\s*(\d+)\s*;\s*i\s*<\s*(\d+)\s*;\s*i\s*\+\+\s*\)\s*{([\s\S]+?)}\s+#pragma unroll_loop_end/g;function dh(i){return i.replace(bx,wx)}function wx(i,e,t,n){let s="";for(let r=parseInt(e);r<parseInt(t);r++)s+=n.replace(/\[\s*i\s*\]/g,"[ "+r+" ]").replace(/UNROLLED_LOOP_INDEX/g,r);return s}function ph(i){let e=`precision ${i.precision} float;
	precision ${i.precision} int;
	precision ${i.precision} sampler2D;
	precision ${i.precision} samplerCube;
	precision ${i.precision} sampler3D;
	precision ${i.precision} sampler2DArray;
	precision ${i.precision} sampler2DShadow;
	precision ${i.precision} samplerCubeShadow;
	precision ${i.precision} sampler2DArrayShadow;
	precision ${i.precision} isampler2D;
	precision ${i.precision} isampler3D;
	precision ${i.precision} isamplerCube;
	precision ${i.precision} isampler2DArray;
	precision ${i.precision} usampler2D;
	precision ${i.precision} usampler3D;
	precision ${i.precision} usamplerCube;
	precision ${i.precision} usampler2DArray;
	`;return i.precision==="highp"?e+=`
#define HIGH_PRECISION`:i.precision==="mediump"?e+=`
#define MEDIUM_PRECISION`:i.precision==="lowp"&&(e+=`
#define LOW_PRECISION`),e}function Tx(i){let e="SHADOWMAP_TYPE_BASIC";return i.shadowMapType===zf?e="SHADOWMAP_TYPE_PCF":i.shadowMapType===Yp?e="SHADOWMAP_TYPE_PCF_SOFT":i.shadowMapType===Li&&(e="SHADOWMAP_TYPE_VSM"),e}function Ax(i){let e="ENVMAP_TYPE_CUBE";if(i.envMap)switch(i.envMapMode){case _r:case vr:e="ENVMAP_TYPE_CUBE";break;case la:e="ENVMAP_TYPE_CUBE_UV";break}return e}function Rx(i){let e="ENVMAP_MODE_REFLECTION";if(i.envMap)switch(i.envMapMode){case vr:e="ENVMAP_MODE_REFRACTION";break}return e}function Cx(i){let e="ENVMAP_BLENDING_NONE";if(i.envMap)switch(i.combine){case Hf:e="ENVMAP_BLENDING_MULTIPLY";break;case xm:e="ENVMAP_BLENDING_MIX";break;case Mm:e="ENVMAP_BLENDING_ADD";break}return e}function Px(i){const e=i.envMapCubeUVHeight;if(e===null)return null;const t=Math.log2(e)-2,n=1/e;return{texelWidth:1/(3*Math.max(Math.pow(2,t),7*16)),texelHeight:n,maxMip:t}}function Lx(i,e,t,n){const s=i.getContext(),r=t.defines;let o=t.vertexShader,a=t.fragmentShader;const l=Tx(t),c=Ax(t),u=Rx(t),h=Cx(t),f=Px(t),m=vx(t),_=xx(r),v=s.createProgram();let p,d,y=t.glslVersion?"#version "+t.glslVersion+`
`:"";t.isRawShaderMaterial?(p=["#define SHADER_TYPE "+t.shaderType,"#define SHADER_NAME "+t.shaderName,_].filter(Wr).join(`
`),p.length>0&&(p+=`
`),d=["#define SHADER_TYPE "+t.shaderType,"#define SHADER_NAME "+t.shaderName,_].filter(Wr).join(`
`),d.length>0&&(d+=`
`)):(p=[ph(t),"#define SHADER_TYPE "+t.shaderType,"#define SHADER_NAME "+t.shaderName,_,t.extensionClipCullDistance?"#define USE_CLIP_DISTANCE":"",t.batching?"#define USE_BATCHING":"",t.instancing?"#define USE_INSTANCING":"",t.instancingColor?"#define USE_INSTANCING_COLOR":"",t.instancingMorph?"#define USE_INSTANCING_MORPH":"",t.useFog&&t.fog?"#define USE_FOG":"",t.useFog&&t.fogExp2?"#define FOG_EXP2":"",t.map?"#define USE_MAP":"",t.envMap?"#define USE_ENVMAP":"",t.envMap?"#define "+u:"",t.lightMap?"#define USE_LIGHTMAP":"",t.aoMap?"#define USE_AOMAP":"",t.bumpMap?"#define USE_BUMPMAP":"",t.normalMap?"#define USE_NORMALMAP":"",t.normalMapObjectSpace?"#define USE_NORMALMAP_OBJECTSPACE":"",t.normalMapTangentSpace?"#define USE_NORMALMAP_TANGENTSPACE":"",t.displacementMap?"#define USE_DISPLACEMENTMAP":"",t.emissiveMap?"#define USE_EMISSIVEMAP":"",t.anisotropy?"#define USE_ANISOTROPY":"",t.anisotropyMap?"#define USE_ANISOTROPYMAP":"",t.clearcoatMap?"#define USE_CLEARCOATMAP":"",t.clearcoatRoughnessMap?"#define USE_CLEARCOAT_ROUGHNESSMAP":"",t.clearcoatNormalMap?"#define USE_CLEARCOAT_NORMALMAP":"",t.iridescenceMap?"#define USE_IRIDESCENCEMAP":"",t.iridescenceThicknessMap?"#define USE_IRIDESCENCE_THICKNESSMAP":"",t.specularMap?"#define USE_SPECULARMAP":"",t.specularColorMap?"#define USE_SPECULAR_COLORMAP":"",t.specularIntensityMap?"#define USE_SPECULAR_INTENSITYMAP":"",t.roughnessMap?"#define USE_ROUGHNESSMAP":"",t.metalnessMap?"#define USE_METALNESSMAP":"",t.alphaMap?"#define USE_ALPHAMAP":"",t.alphaHash?"#define USE_ALPHAHASH":"",t.transmission?"#define USE_TRANSMISSION":"",t.transmissionMap?"#define USE_TRANSMISSIONMAP":"",t.thicknessMap?"#define USE_THICKNESSMAP":"",t.sheenColorMap?"#define USE_SHEEN_COLORMAP":"",t.sheenRoughnessMap?"#define USE_SHEEN_ROUGHNESSMAP":"",t.mapUv?"#define MAP_UV "+t.mapUv:"",t.alphaMapUv?"#define ALPHAMAP_UV "+t.alphaMapUv:"",t.lightMapUv?"#define LIGHTMAP_UV "+t.lightMapUv:"",t.aoMapUv?"#define AOMAP_UV "+t.aoMapUv:"",t.emissiveMapUv?"#define EMISSIVEMAP_UV "+t.emissiveMapUv:"",t.bumpMapUv?"#define BUMPMAP_UV "+t.bumpMapUv:"",t.normalMapUv?"#define NORMALMAP_UV "+t.normalMapUv:"",t.displacementMapUv?"#define DISPLACEMENTMAP_UV "+t.displacementMapUv:"",t.metalnessMapUv?"#define METALNESSMAP_UV "+t.metalnessMapUv:"",t.roughnessMapUv?"#define ROUGHNESSMAP_UV "+t.roughnessMapUv:"",t.anisotropyMapUv?"#define ANISOTROPYMAP_UV "+t.anisotropyMapUv:"",t.clearcoatMapUv?"#define CLEARCOATMAP_UV "+t.clearcoatMapUv:"",t.clearcoatNormalMapUv?"#define CLEARCOAT_NORMALMAP_UV "+t.clearcoatNormalMapUv:"",t.clearcoatRoughnessMapUv?"#define CLEARCOAT_ROUGHNESSMAP_UV "+t.clearcoatRoughnessMapUv:"",t.iridescenceMapUv?"#define IRIDESCENCEMAP_UV "+t.iridescenceMapUv:"",t.iridescenceThicknessMapUv?"#define IRIDESCENCE_THICKNESSMAP_UV "+t.iridescenceThicknessMapUv:"",t.sheenColorMapUv?"#define SHEEN_COLORMAP_UV "+t.sheenColorMapUv:"",t.sheenRoughnessMapUv?"#define SHEEN_ROUGHNESSMAP_UV "+t.sheenRoughnessMapUv:"",t.specularMapUv?"#define SPECULARMAP_UV "+t.specularMapUv:"",t.specularColorMapUv?"#define SPECULAR_COLORMAP_UV "+t.specularColorMapUv:"",t.specularIntensityMapUv?"#define SPECULAR_INTENSITYMAP_UV "+t.specularIntensityMapUv:"",t.transmissionMapUv?"#define TRANSMISSIONMAP_UV "+t.transmissionMapUv:"",t.thicknessMapUv?"#define THICKNESSMAP_UV "+t.thicknessMapUv:"",t.vertexTangents&&t.flatShading===!1?"#define USE_TANGENT":"",t.vertexColors?"#define USE_COLOR":"",t.vertexAlphas?"#define USE_COLOR_ALPHA":"",t.vertexUv1s?"#define USE_UV1":"",t.vertexUv2s?"#define USE_UV2":"",t.vertexUv3s?"#define USE_UV3":"",t.pointsUvs?"#define USE_POINTS_UV":"",t.flatShading?"#define FLAT_SHADED":"",t.skinning?"#define USE_SKINNING":"",t.morphTargets?"#define USE_MORPHTARGETS":"",t.morphNormals&&t.flatShading===!1?"#define USE_MORPHNORMALS":"",t.morphColors?"#define USE_MORPHCOLORS":"",t.morphTargetsCount>0?"#define MORPHTARGETS_TEXTURE":"",t.morphTargetsCount>0?"#define MORPHTARGETS_TEXTURE_STRIDE "+t.morphTextureStride:"",t.morphTargetsCount>0?"#define MORPHTARGETS_COUNT "+t.morphTargetsCount:"",t.doubleSided?"#define DOUBLE_SIDED":"",t.flipSided?"#define FLIP_SIDED":"",t.shadowMapEnabled?"#define USE_SHADOWMAP":"",t.shadowMapEnabled?"#define "+l:"",t.sizeAttenuation?"#define USE_SIZEATTENUATION":"",t.numLightProbes>0?"#define USE_LIGHT_PROBES":"",t.useLegacyLights?"#define LEGACY_LIGHTS":"",t.logarithmicDepthBuffer?"#define USE_LOGDEPTHBUF":"","uniform mat4 modelMatrix;","uniform mat4 modelViewMatrix;","uniform mat4 projectionMatrix;","uniform mat4 viewMatrix;","uniform mat3 normalMatrix;","uniform vec3 cameraPosition;","uniform bool isOrthographic;","#ifdef USE_INSTANCING","	attribute mat4 instanceMatrix;","#endif","#ifdef USE_INSTANCING_COLOR","	attribute vec3 instanceColor;","#endif","#ifdef USE_INSTANCING_MORPH","	uniform sampler2D morphTexture;","#endif","attribute vec3 position;","attribute vec3 normal;","attribute vec2 uv;","#ifdef USE_UV1","	attribute vec2 uv1;","#endif","#ifdef USE_UV2","	attribute vec2 uv2;","#endif","#ifdef USE_UV3","	attribute vec2 uv3;","#endif","#ifdef USE_TANGENT","	attribute vec4 tangent;","#endif","#if defined( USE_COLOR_ALPHA )","	attribute vec4 color;","#elif defined( USE_COLOR )","	attribute vec3 color;","#endif","#if ( defined( USE_MORPHTARGETS ) && ! defined( MORPHTARGETS_TEXTURE ) )","	attribute vec3 morphTarget0;","	attribute vec3 morphTarget1;","	attribute vec3 morphTarget2;","	attribute vec3 morphTarget3;","	#ifdef USE_MORPHNORMALS","		attribute vec3 morphNormal0;","		attribute vec3 morphNormal1;","		attribute vec3 morphNormal2;","		attribute vec3 morphNormal3;","	#else","		attribute vec3 morphTarget4;","		attribute vec3 morphTarget5;","		attribute vec3 morphTarget6;","		attribute vec3 morphTarget7;","	#endif","#endif","#ifdef USE_SKINNING","	attribute vec4 skinIndex;","	attribute vec4 skinWeight;","#endif",`
`].filter(Wr).join(`
`),d=[ph(t),"#define SHADER_TYPE "+t.shaderType,"#define SHADER_NAME "+t.shaderName,_,t.useFog&&t.fog?"#define USE_FOG":"",t.useFog&&t.fogExp2?"#define FOG_EXP2":"",t.alphaToCoverage?"#define ALPHA_TO_COVERAGE":"",t.map?"#define USE_MAP":"",t.matcap?"#define USE_MATCAP":"",t.envMap?"#define USE_ENVMAP":"",t.envMap?"#define "+c:"",t.envMap?"#define "+u:"",t.envMap?"#define "+h:"",f?"#define CUBEUV_TEXEL_WIDTH "+f.texelWidth:"",f?"#define CUBEUV_TEXEL_HEIGHT "+f.texelHeight:"",f?"#define CUBEUV_MAX_MIP "+f.maxMip+".0":"",t.lightMap?"#define USE_LIGHTMAP":"",t.aoMap?"#define USE_AOMAP":"",t.bumpMap?"#define USE_BUMPMAP":"",t.normalMap?"#define USE_NORMALMAP":"",t.normalMapObjectSpace?"#define USE_NORMALMAP_OBJECTSPACE":"",t.normalMapTangentSpace?"#define USE_NORMALMAP_TANGENTSPACE":"",t.emissiveMap?"#define USE_EMISSIVEMAP":"",t.anisotropy?"#define USE_ANISOTROPY":"",t.anisotropyMap?"#define USE_ANISOTROPYMAP":"",t.clearcoat?"#define USE_CLEARCOAT":"",t.clearcoatMap?"#define USE_CLEARCOATMAP":"",t.clearcoatRoughnessMap?"#define USE_CLEARCOAT_ROUGHNESSMAP":"",t.clearcoatNormalMap?"#define USE_CLEARCOAT_NORMALMAP":"",t.dispersion?"#define USE_DISPERSION":"",t.iridescence?"#define USE_IRIDESCENCE":"",t.iridescenceMap?"#define USE_IRIDESCENCEMAP":"",t.iridescenceThicknessMap?"#define USE_IRIDESCENCE_THICKNESSMAP":"",t.specularMap?"#define USE_SPECULARMAP":"",t.specularColorMap?"#define USE_SPECULAR_COLORMAP":"",t.specularIntensityMap?"#define USE_SPECULAR_INTENSITYMAP":"",t.roughnessMap?"#define USE_ROUGHNESSMAP":"",t.metalnessMap?"#define USE_METALNESSMAP":"",t.alphaMap?"#define USE_ALPHAMAP":"",t.alphaTest?"#define USE_ALPHATEST":"",t.alphaHash?"#define USE_ALPHAHASH":"",t.sheen?"#define USE_SHEEN":"",t.sheenColorMap?"#define USE_SHEEN_COLORMAP":"",t.sheenRoughnessMap?"#define USE_SHEEN_ROUGHNESSMAP":"",t.transmission?"#define USE_TRANSMISSION":"",t.transmissionMap?"#define USE_TRANSMISSIONMAP":"",t.thicknessMap?"#define USE_THICKNESSMAP":"",t.vertexTangents&&t.flatShading===!1?"#define USE_TANGENT":"",t.vertexColors||t.instancingColor?"#define USE_COLOR":"",t.vertexAlphas?"#define USE_COLOR_ALPHA":"",t.vertexUv1s?"#define USE_UV1":"",t.vertexUv2s?"#define USE_UV2":"",t.vertexUv3s?"#define USE_UV3":"",t.pointsUvs?"#define USE_POINTS_UV":"",t.gradientMap?"#define USE_GRADIENTMAP":"",t.flatShading?"#define FLAT_SHADED":"",t.doubleSided?"#define DOUBLE_SIDED":"",t.flipSided?"#define FLIP_SIDED":"",t.shadowMapEnabled?"#define USE_SHADOWMAP":"",t.shadowMapEnabled?"#define "+l:"",t.premultipliedAlpha?"#define PREMULTIPLIED_ALPHA":"",t.numLightProbes>0?"#define USE_LIGHT_PROBES":"",t.useLegacyLights?"#define LEGACY_LIGHTS":"",t.decodeVideoTexture?"#define DECODE_VIDEO_TEXTURE":"",t.logarithmicDepthBuffer?"#define USE_LOGDEPTHBUF":"","uniform mat4 viewMatrix;","uniform vec3 cameraPosition;","uniform bool isOrthographic;",t.toneMapping!==ts?"#define TONE_MAPPING":"",t.toneMapping!==ts?st.tonemapping_pars_fragment:"",t.toneMapping!==ts?_x("toneMapping",t.toneMapping):"",t.dithering?"#define DITHERING":"",t.opaque?"#define OPAQUE":"",st.colorspace_pars_fragment,gx("linearToOutputTexel",t.outputColorSpace),t.useDepthPacking?"#define DEPTH_PACKING "+t.depthPacking:"",`
`].filter(Wr).join(`
`)),o=Hl(o),o=hh(o,t),o=fh(o,t),a=Hl(a),a=hh(a,t),a=fh(a,t),o=dh(o),a=dh(a),t.isRawShaderMaterial!==!0&&(y=`#version 300 es
`,p=[m,"#define attribute in","#define varying out","#define texture2D texture"].join(`
`)+`
`+p,d=["#define varying in",t.glslVersion===Pu?"":"layout(location = 0) out highp vec4 pc_fragColor;",t.glslVersion===Pu?"":"#define gl_FragColor pc_fragColor","#define gl_FragDepthEXT gl_FragDepth","#define texture2D texture","#define textureCube texture","#define texture2DProj textureProj","#define texture2DLodEXT textureLod","#define texture2DProjLodEXT textureProjLod","#define textureCubeLodEXT textureLod","#define texture2DGradEXT textureGrad","#define texture2DProjGradEXT textureProjGrad","#define textureCubeGradEXT textureGrad"].join(`
`)+`
`+d);const x=y+p+o,b=y+d+a,H=ch(s,s.VERTEX_SHADER,x),T=ch(s,s.FRAGMENT_SHADER,b);s.attachShader(v,H),s.attachShader(v,T),t.index0AttributeName!==void 0?s.bindAttribLocation(v,0,t.index0AttributeName):t.morphTargets===!0&&s.bindAttribLocation(v,0,"position"),s.linkProgram(v);function R(U){if(i.debug.checkShaderErrors){const G=s.getProgramInfoLog(v).trim(),N=s.getShaderInfoLog(H).trim(),Z=s.getShaderInfoLog(T).trim();let X=!0,se=!0;if(s.getProgramParameter(v,s.LINK_STATUS)===!1)if(X=!1,typeof i.debug.onShaderError=="function")i.debug.onShaderError(s,v,H,T);else{const te=uh(s,H,"vertex"),ne=uh(s,T,"fragment");console.error("THREE.WebGLProgram: Shader Error "+s.getError()+" - VALIDATE_STATUS "+s.getProgramParameter(v,s.VALIDATE_STATUS)+`

Material Name: `+U.name+`
Material Type: `+U.type+`

Program Info Log: `+G+`
`+te+`
`+ne)}else G!==""?console.warn("THREE.WebGLProgram: Program Info Log:",G):(N===""||Z==="")&&(se=!1);se&&(U.diagnostics={runnable:X,programLog:G,vertexShader:{log:N,prefix:p},fragmentShader:{log:Z,prefix:d}})}s.deleteShader(H),s.deleteShader(T),z=new Xo(s,v),w=Mx(s,v)}let z;this.getUniforms=function(){return z===void 0&&R(this),z};let w;this.getAttributes=function(){return w===void 0&&R(this),w};let M=t.rendererExtensionParallelShaderCompile===!1;return this.isReady=function(){return M===!1&&(M=s.getProgramParameter(v,fx)),M},this.destroy=function(){n.releaseStatesOfProgram(this),s.deleteProgram(v),this.program=void 0},this.type=t.shaderType,this.name=t.shaderName,this.id=dx++,this.cacheKey=e,this.usedTimes=1,this.program=v,this.vertexShader=H,this.fragmentShader=T,this}let Dx=0;class Ux{constructor(){this.shaderCache=new Map,this.materialCache=new Map}update(e){const t=e.vertexShader,n=e.fragmentShader,s=this._getShaderStage(t),r=this._getShaderStage(n),o=this._getShaderCacheForMaterial(e);return o.has(s)===!1&&(o.add(s),s.usedTimes++),o.has(r)===!1&&(o.add(r),r.usedTimes++),this}remove(e){const t=this.materialCache.get(e);for(const n of t)n.usedTimes--,n.usedTimes===0&&this.shaderCache.delete(n.code);return this.materialCache.delete(e),this}getVertexShaderID(e){return this._getShaderStage(e.vertexShader).id}getFragmentShaderID(e){return this._getShaderStage(e.fragmentShader).id}dispose(){this.shaderCache.clear(),this.materialCache.clear()}_getShaderCacheForMaterial(e){const t=this.materialCache;let n=t.get(e);return n===void 0&&(n=new Set,t.set(e,n)),n}_getShaderStage(e){const t=this.shaderCache;let n=t.get(e);return n===void 0&&(n=new Ix(e),t.set(e,n)),n}}class Ix{constructor(e){this.id=Dx++,this.code=e,this.usedTimes=0}}function Nx(i,e,t,n,s,r,o){const a=new oc,l=new Ux,c=new Set,u=[],h=s.logarithmicDepthBuffer,f=s.vertexTextures;let m=s.precision;const _={MeshDepthMaterial:"depth",MeshDistanceMaterial:"distanceRGBA",MeshNormalMaterial:"normal",MeshBasicMaterial:"basic",MeshLambertMaterial:"lambert",MeshPhongMaterial:"phong",MeshToonMaterial:"toon",MeshStandardMaterial:"physical",MeshPhysicalMaterial:"physical",MeshMatcapMaterial:"matcap",LineBasicMaterial:"basic",LineDashedMaterial:"dashed",PointsMaterial:"points",ShadowMaterial:"shadow",SpriteMaterial:"sprite"};function v(w){return c.add(w),w===0?"uv":`uv${w}`}function p(w,M,U,G,N){const Z=G.fog,X=N.geometry,se=w.isMeshStandardMaterial?G.environment:null,te=(w.isMeshStandardMaterial?t:e).get(w.envMap||se),ne=te&&te.mapping===la?te.image.height:null,Y=_[w.type];w.precision!==null&&(m=s.getMaxPrecision(w.precision),m!==w.precision&&console.warn("THREE.WebGLProgram.getParameters:",w.precision,"not supported, using",m,"instead."));const q=X.morphAttributes.position||X.morphAttributes.normal||X.morphAttributes.color,fe=q!==void 0?q.length:0;let P=0;X.morphAttributes.position!==void 0&&(P=1),X.morphAttributes.normal!==void 0&&(P=2),X.morphAttributes.color!==void 0&&(P=3);let V,D,K,ae;if(Y){const lt=_i[Y];V=lt.vertexShader,D=lt.fragmentShader}else V=w.vertexShader,D=w.fragmentShader,l.update(w),K=l.getVertexShaderID(w),ae=l.getFragmentShaderID(w);const B=i.getRenderTarget(),Q=N.isInstancedMesh===!0,j=N.isBatchedMesh===!0,F=!!w.map,_e=!!w.matcap,xe=!!te,be=!!w.aoMap,Me=!!w.lightMap,Ce=!!w.bumpMap,Ie=!!w.normalMap,Ke=!!w.displacementMap,pt=!!w.emissiveMap,k=!!w.metalnessMap,A=!!w.roughnessMap,ce=w.anisotropy>0,pe=w.clearcoat>0,ve=w.dispersion>0,he=w.iridescence>0,de=w.sheen>0,Se=w.transmission>0,Ee=ce&&!!w.anisotropyMap,Xe=pe&&!!w.clearcoatMap,Te=pe&&!!w.clearcoatNormalMap,ke=pe&&!!w.clearcoatRoughnessMap,Qe=he&&!!w.iridescenceMap,Be=he&&!!w.iridescenceThicknessMap,Pe=de&&!!w.sheenColorMap,Ve=de&&!!w.sheenRoughnessMap,$e=!!w.specularMap,ht=!!w.specularColorMap,Ze=!!w.specularIntensityMap,S=Se&&!!w.transmissionMap,J=Se&&!!w.thicknessMap,re=!!w.gradientMap,ge=!!w.alphaMap,Re=w.alphaTest>0,et=!!w.alphaHash,it=!!w.extensions;let bt=ts;w.toneMapped&&(B===null||B.isXRRenderTarget===!0)&&(bt=i.toneMapping);const zt={shaderID:Y,shaderType:w.type,shaderName:w.name,vertexShader:V,fragmentShader:D,defines:w.defines,customVertexShaderID:K,customFragmentShaderID:ae,isRawShaderMaterial:w.isRawShaderMaterial===!0,glslVersion:w.glslVersion,precision:m,batching:j,instancing:Q,instancingColor:Q&&N.instanceColor!==null,instancingMorph:Q&&N.morphTexture!==null,supportsVertexTextures:f,outputColorSpace:B===null?i.outputColorSpace:B.isXRRenderTarget===!0?B.texture.colorSpace:ki,alphaToCoverage:!!w.alphaToCoverage,map:F,matcap:_e,envMap:xe,envMapMode:xe&&te.mapping,envMapCubeUVHeight:ne,aoMap:be,lightMap:Me,bumpMap:Ce,normalMap:Ie,displacementMap:f&&Ke,emissiveMap:pt,normalMapObjectSpace:Ie&&w.normalMapType===Vm,normalMapTangentSpace:Ie&&w.normalMapType===Hm,metalnessMap:k,roughnessMap:A,anisotropy:ce,anisotropyMap:Ee,clearcoat:pe,clearcoatMap:Xe,clearcoatNormalMap:Te,clearcoatRoughnessMap:ke,dispersion:ve,iridescence:he,iridescenceMap:Qe,iridescenceThicknessMap:Be,sheen:de,sheenColorMap:Pe,sheenRoughnessMap:Ve,specularMap:$e,specularColorMap:ht,specularIntensityMap:Ze,transmission:Se,transmissionMap:S,thicknessMap:J,gradientMap:re,opaque:w.transparent===!1&&w.blending===fr&&w.alphaToCoverage===!1,alphaMap:ge,alphaTest:Re,alphaHash:et,combine:w.combine,mapUv:F&&v(w.map.channel),aoMapUv:be&&v(w.aoMap.channel),lightMapUv:Me&&v(w.lightMap.channel),bumpMapUv:Ce&&v(w.bumpMap.channel),normalMapUv:Ie&&v(w.normalMap.channel),displacementMapUv:Ke&&v(w.displacementMap.channel),emissiveMapUv:pt&&v(w.emissiveMap.channel),metalnessMapUv:k&&v(w.metalnessMap.channel),roughnessMapUv:A&&v(w.roughnessMap.channel),anisotropyMapUv:Ee&&v(w.anisotropyMap.channel),clearcoatMapUv:Xe&&v(w.clearcoatMap.channel),clearcoatNormalMapUv:Te&&v(w.clearcoatNormalMap.channel),clearcoatRoughnessMapUv:ke&&v(w.clearcoatRoughnessMap.channel),iridescenceMapUv:Qe&&v(w.iridescenceMap.channel),iridescenceThicknessMapUv:Be&&v(w.iridescenceThicknessMap.channel),sheenColorMapUv:Pe&&v(w.sheenColorMap.channel),sheenRoughnessMapUv:Ve&&v(w.sheenRoughnessMap.channel),specularMapUv:$e&&v(w.specularMap.channel),specularColorMapUv:ht&&v(w.specularColorMap.channel),specularIntensityMapUv:Ze&&v(w.specularIntensityMap.channel),transmissionMapUv:S&&v(w.transmissionMap.channel),thicknessMapUv:J&&v(w.thicknessMap.channel),alphaMapUv:ge&&v(w.alphaMap.channel),vertexTangents:!!X.attributes.tangent&&(Ie||ce),vertexColors:w.vertexColors,vertexAlphas:w.vertexColors===!0&&!!X.attributes.color&&X.attributes.color.itemSize===4,pointsUvs:N.isPoints===!0&&!!X.attributes.uv&&(F||ge),fog:!!Z,useFog:w.fog===!0,fogExp2:!!Z&&Z.isFogExp2,flatShading:w.flatShading===!0,sizeAttenuation:w.sizeAttenuation===!0,logarithmicDepthBuffer:h,skinning:N.isSkinnedMesh===!0,morphTargets:X.morphAttributes.position!==void 0,morphNormals:X.morphAttributes.normal!==void 0,morphColors:X.morphAttributes.color!==void 0,morphTargetsCount:fe,morphTextureStride:P,numDirLights:M.directional.length,numPointLights:M.point.length,numSpotLights:M.spot.length,numSpotLightMaps:M.spotLightMap.length,numRectAreaLights:M.rectArea.length,numHemiLights:M.hemi.length,numDirLightShadows:M.directionalShadowMap.length,numPointLightShadows:M.pointShadowMap.length,numSpotLightShadows:M.spotShadowMap.length,numSpotLightShadowsWithMaps:M.numSpotLightShadowsWithMaps,numLightProbes:M.numLightProbes,numClippingPlanes:o.numPlanes,numClipIntersection:o.numIntersection,dithering:w.dithering,shadowMapEnabled:i.shadowMap.enabled&&U.length>0,shadowMapType:i.shadowMap.type,toneMapping:bt,useLegacyLights:i._useLegacyLights,decodeVideoTexture:F&&w.map.isVideoTexture===!0&&vt.getTransfer(w.map.colorSpace)===Pt,premultipliedAlpha:w.premultipliedAlpha,doubleSided:w.side===ai,flipSided:w.side===Pn,useDepthPacking:w.depthPacking>=0,depthPacking:w.depthPacking||0,index0AttributeName:w.index0AttributeName,extensionClipCullDistance:it&&w.extensions.clipCullDistance===!0&&n.has("WEBGL_clip_cull_distance"),extensionMultiDraw:it&&w.extensions.multiDraw===!0&&n.has("WEBGL_multi_draw"),rendererExtensionParallelShaderCompile:n.has("KHR_parallel_shader_compile"),customProgramCacheKey:w.customProgramCacheKey()};return zt.vertexUv1s=c.has(1),zt.vertexUv2s=c.has(2),zt.vertexUv3s=c.has(3),c.clear(),zt}function d(w){const M=[];if(w.shaderID?M.push(w.shaderID):(M.push(w.customVertexShaderID),M.push(w.customFragmentShaderID)),w.defines!==void 0)for(const U in w.defines)M.push(U),M.push(w.defines[U]);return w.isRawShaderMaterial===!1&&(y(M,w),x(M,w),M.push(i.outputColorSpace)),M.push(w.customProgramCacheKey),M.join()}function y(w,M){w.push(M.precision),w.push(M.outputColorSpace),w.push(M.envMapMode),w.push(M.envMapCubeUVHeight),w.push(M.mapUv),w.push(M.alphaMapUv),w.push(M.lightMapUv),w.push(M.aoMapUv),w.push(M.bumpMapUv),w.push(M.normalMapUv),w.push(M.displacementMapUv),w.push(M.emissiveMapUv),w.push(M.metalnessMapUv),w.push(M.roughnessMapUv),w.push(M.anisotropyMapUv),w.push(M.clearcoatMapUv),w.push(M.clearcoatNormalMapUv),w.push(M.clearcoatRoughnessMapUv),w.push(M.iridescenceMapUv),w.push(M.iridescenceThicknessMapUv),w.push(M.sheenColorMapUv),w.push(M.sheenRoughnessMapUv),w.push(M.specularMapUv),w.push(M.specularColorMapUv),w.push(M.specularIntensityMapUv),w.push(M.transmissionMapUv),w.push(M.thicknessMapUv),w.push(M.combine),w.push(M.fogExp2),w.push(M.sizeAttenuation),w.push(M.morphTargetsCount),w.push(M.morphAttributeCount),w.push(M.numDirLights),w.push(M.numPointLights),w.push(M.numSpotLights),w.push(M.numSpotLightMaps),w.push(M.numHemiLights),w.push(M.numRectAreaLights),w.push(M.numDirLightShadows),w.push(M.numPointLightShadows),w.push(M.numSpotLightShadows),w.push(M.numSpotLightShadowsWithMaps),w.push(M.numLightProbes),w.push(M.shadowMapType),w.push(M.toneMapping),w.push(M.numClippingPlanes),w.push(M.numClipIntersection),w.push(M.depthPacking)}function x(w,M){a.disableAll(),M.supportsVertexTextures&&a.enable(0),M.instancing&&a.enable(1),M.instancingColor&&a.enable(2),M.instancingMorph&&a.enable(3),M.matcap&&a.enable(4),M.envMap&&a.enable(5),M.normalMapObjectSpace&&a.enable(6),M.normalMapTangentSpace&&a.enable(7),M.clearcoat&&a.enable(8),M.iridescence&&a.enable(9),M.alphaTest&&a.enable(10),M.vertexColors&&a.enable(11),M.vertexAlphas&&a.enable(12),M.vertexUv1s&&a.enable(13),M.vertexUv2s&&a.enable(14),M.vertexUv3s&&a.enable(15),M.vertexTangents&&a.enable(16),M.anisotropy&&a.enable(17),M.alphaHash&&a.enable(18),M.batching&&a.enable(19),M.dispersion&&a.enable(20),w.push(a.mask),a.disableAll(),M.fog&&a.enable(0),M.useFog&&a.enable(1),M.flatShading&&a.enable(2),M.logarithmicDepthBuffer&&a.enable(3),M.skinning&&a.enable(4),M.morphTargets&&a.enable(5),M.morphNormals&&a.enable(6),M.morphColors&&a.enable(7),M.premultipliedAlpha&&a.enable(8),M.shadowMapEnabled&&a.enable(9),M.useLegacyLights&&a.enable(10),M.doubleSided&&a.enable(11),M.flipSided&&a.enable(12),M.useDepthPacking&&a.enable(13),M.dithering&&a.enable(14),M.transmission&&a.enable(15),M.sheen&&a.enable(16),M.opaque&&a.enable(17),M.pointsUvs&&a.enable(18),M.decodeVideoTexture&&a.enable(19),M.alphaToCoverage&&a.enable(20),w.push(a.mask)}function b(w){const M=_[w.type];let U;if(M){const G=_i[M];U=vg.clone(G.uniforms)}else U=w.uniforms;return U}function H(w,M){let U;for(let G=0,N=u.length;G<N;G++){const Z=u[G];if(Z.cacheKey===M){U=Z,++U.usedTimes;break}}return U===void 0&&(U=new Lx(i,M,w,r),u.push(U)),U}function T(w){if(--w.usedTimes===0){const M=u.indexOf(w);u[M]=u[u.length-1],u.pop(),w.destroy()}}function R(w){l.remove(w)}function z(){l.dispose()}return{getParameters:p,getProgramCacheKey:d,getUniforms:b,acquireProgram:H,releaseProgram:T,releaseShaderCache:R,programs:u,dispose:z}}function Ox(){let i=new WeakMap;function e(r){let o=i.get(r);return o===void 0&&(o={},i.set(r,o)),o}function t(r){i.delete(r)}function n(r,o,a){i.get(r)[o]=a}function s(){i=new WeakMap}return{get:e,remove:t,update:n,dispose:s}}function Fx(i,e){return i.groupOrder!==e.groupOrder?i.groupOrder-e.groupOrder:i.renderOrder!==e.renderOrder?i.renderOrder-e.renderOrder:i.material.id!==e.material.id?i.material.id-e.material.id:i.z!==e.z?i.z-e.z:i.id-e.id}function mh(i,e){return i.groupOrder!==e.groupOrder?i.groupOrder-e.groupOrder:i.renderOrder!==e.renderOrder?i.renderOrder-e.renderOrder:i.z!==e.z?e.z-i.z:i.id-e.id}function gh(){const i=[];let e=0;const t=[],n=[],s=[];function r(){e=0,t.length=0,n.length=0,s.length=0}function o(h,f,m,_,v,p){let d=i[e];return d===void 0?(d={id:h.id,object:h,geometry:f,material:m,groupOrder:_,renderOrder:h.renderOrder,z:v,group:p},i[e]=d):(d.id=h.id,d.object=h,d.geometry=f,d.material=m,d.groupOrder=_,d.renderOrder=h.renderOrder,d.z=v,d.group=p),e++,d}function a(h,f,m,_,v,p){const d=o(h,f,m,_,v,p);m.transmission>0?n.push(d):m.transparent===!0?s.push(d):t.push(d)}function l(h,f,m,_,v,p){const d=o(h,f,m,_,v,p);m.transmission>0?n.unshift(d):m.transparent===!0?s.unshift(d):t.unshift(d)}function c(h,f){t.length>1&&t.sort(h||Fx),n.length>1&&n.sort(f||mh),s.length>1&&s.sort(f||mh)}function u(){for(let h=e,f=i.length;h<f;h++){const m=i[h];if(m.id===null)break;m.id=null,m.object=null,m.geometry=null,m.material=null,m.group=null}}return{opaque:t,transmissive:n,transparent:s,init:r,push:a,unshift:l,finish:u,sort:c}}function kx(){let i=new WeakMap;function e(n,s){const r=i.get(n);let o;return r===void 0?(o=new gh,i.set(n,[o])):s>=r.length?(o=new gh,r.push(o)):o=r[s],o}function t(){i=new WeakMap}return{get:e,dispose:t}}function Bx(){const i={};return{get:function(e){if(i[e.id]!==void 0)return i[e.id];let t;switch(e.type){case"DirectionalLight":t={direction:new $,color:new St};break;case"SpotLight":t={position:new $,direction:new $,color:new St,distance:0,coneCos:0,penumbraCos:0,decay:0};break;case"PointLight":t={position:new $,color:new St,distance:0,decay:0};break;case"HemisphereLight":t={direction:new $,skyColor:new St,groundColor:new St};break;case"RectAreaLight":t={color:new St,position:new $,halfWidth:new $,halfHeight:new $};break}return i[e.id]=t,t}}}function zx(){const i={};return{get:function(e){if(i[e.id]!==void 0)return i[e.id];let t;switch(e.type){case"DirectionalLight":t={shadowBias:0,shadowNormalBias:0,shadowRadius:1,shadowMapSize:new ze};break;case"SpotLight":t={shadowBias:0,shadowNormalBias:0,shadowRadius:1,shadowMapSize:new ze};break;case"PointLight":t={shadowBias:0,shadowNormalBias:0,shadowRadius:1,shadowMapSize:new ze,shadowCameraNear:1,shadowCameraFar:1e3};break}return i[e.id]=t,t}}}let Hx=0;function Vx(i,e){return(e.castShadow?2:0)-(i.castShadow?2:0)+(e.map?1:0)-(i.map?1:0)}function Gx(i){const e=new Bx,t=zx(),n={version:0,hash:{directionalLength:-1,pointLength:-1,spotLength:-1,rectAreaLength:-1,hemiLength:-1,numDirectionalShadows:-1,numPointShadows:-1,numSpotShadows:-1,numSpotMaps:-1,numLightProbes:-1},ambient:[0,0,0],probe:[],directional:[],directionalShadow:[],directionalShadowMap:[],directionalShadowMatrix:[],spot:[],spotLightMap:[],spotShadow:[],spotShadowMap:[],spotLightMatrix:[],rectArea:[],rectAreaLTC1:null,rectAreaLTC2:null,point:[],pointShadow:[],pointShadowMap:[],pointShadowMatrix:[],hemi:[],numSpotLightShadowsWithMaps:0,numLightProbes:0};for(let c=0;c<9;c++)n.probe.push(new $);const s=new $,r=new Bt,o=new Bt;function a(c,u){let h=0,f=0,m=0;for(let U=0;U<9;U++)n.probe[U].set(0,0,0);let _=0,v=0,p=0,d=0,y=0,x=0,b=0,H=0,T=0,R=0,z=0;c.sort(Vx);const w=u===!0?Math.PI:1;for(let U=0,G=c.length;U<G;U++){const N=c[U],Z=N.color,X=N.intensity,se=N.distance,te=N.shadow&&N.shadow.map?N.shadow.map.texture:null;if(N.isAmbientLight)h+=Z.r*X*w,f+=Z.g*X*w,m+=Z.b*X*w;else if(N.isLightProbe){for(let ne=0;ne<9;ne++)n.probe[ne].addScaledVector(N.sh.coefficients[ne],X);z++}else if(N.isDirectionalLight){const ne=e.get(N);if(ne.color.copy(N.color).multiplyScalar(N.intensity*w),N.castShadow){const Y=N.shadow,q=t.get(N);q.shadowBias=Y.bias,q.shadowNormalBias=Y.normalBias,q.shadowRadius=Y.radius,q.shadowMapSize=Y.mapSize,n.directionalShadow[_]=q,n.directionalShadowMap[_]=te,n.directionalShadowMatrix[_]=N.shadow.matrix,x++}n.directional[_]=ne,_++}else if(N.isSpotLight){const ne=e.get(N);ne.position.setFromMatrixPosition(N.matrixWorld),ne.color.copy(Z).multiplyScalar(X*w),ne.distance=se,ne.coneCos=Math.cos(N.angle),ne.penumbraCos=Math.cos(N.angle*(1-N.penumbra)),ne.decay=N.decay,n.spot[p]=ne;const Y=N.shadow;if(N.map&&(n.spotLightMap[T]=N.map,T++,Y.updateMatrices(N),N.castShadow&&R++),n.spotLightMatrix[p]=Y.matrix,N.castShadow){const q=t.get(N);q.shadowBias=Y.bias,q.shadowNormalBias=Y.normalBias,q.shadowRadius=Y.radius,q.shadowMapSize=Y.mapSize,n.spotShadow[p]=q,n.spotShadowMap[p]=te,H++}p++}else if(N.isRectAreaLight){const ne=e.get(N);ne.color.copy(Z).multiplyScalar(X),ne.halfWidth.set(N.width*.5,0,0),ne.halfHeight.set(0,N.height*.5,0),n.rectArea[d]=ne,d++}else if(N.isPointLight){const ne=e.get(N);if(ne.color.copy(N.color).multiplyScalar(N.intensity*w),ne.distance=N.distance,ne.decay=N.decay,N.castShadow){const Y=N.shadow,q=t.get(N);q.shadowBias=Y.bias,q.shadowNormalBias=Y.normalBias,q.shadowRadius=Y.radius,q.shadowMapSize=Y.mapSize,q.shadowCameraNear=Y.camera.near,q.shadowCameraFar=Y.camera.far,n.pointShadow[v]=q,n.pointShadowMap[v]=te,n.pointShadowMatrix[v]=N.shadow.matrix,b++}n.point[v]=ne,v++}else if(N.isHemisphereLight){const ne=e.get(N);ne.skyColor.copy(N.color).multiplyScalar(X*w),ne.groundColor.copy(N.groundColor).multiplyScalar(X*w),n.hemi[y]=ne,y++}}d>0&&(i.has("OES_texture_float_linear")===!0?(n.rectAreaLTC1=Ue.LTC_FLOAT_1,n.rectAreaLTC2=Ue.LTC_FLOAT_2):(n.rectAreaLTC1=Ue.LTC_HALF_1,n.rectAreaLTC2=Ue.LTC_HALF_2)),n.ambient[0]=h,n.ambient[1]=f,n.ambient[2]=m;const M=n.hash;(M.directionalLength!==_||M.pointLength!==v||M.spotLength!==p||M.rectAreaLength!==d||M.hemiLength!==y||M.numDirectionalShadows!==x||M.numPointShadows!==b||M.numSpotShadows!==H||M.numSpotMaps!==T||M.numLightProbes!==z)&&(n.directional.length=_,n.spot.length=p,n.rectArea.length=d,n.point.length=v,n.hemi.length=y,n.directionalShadow.length=x,n.directionalShadowMap.length=x,n.pointShadow.length=b,n.pointShadowMap.length=b,n.spotShadow.length=H,n.spotShadowMap.length=H,n.directionalShadowMatrix.length=x,n.pointShadowMatrix.length=b,n.spotLightMatrix.length=H+T-R,n.spotLightMap.length=T,n.numSpotLightShadowsWithMaps=R,n.numLightProbes=z,M.directionalLength=_,M.pointLength=v,M.spotLength=p,M.rectAreaLength=d,M.hemiLength=y,M.numDirectionalShadows=x,M.numPointShadows=b,M.numSpotShadows=H,M.numSpotMaps=T,M.numLightProbes=z,n.version=Hx++)}function l(c,u){let h=0,f=0,m=0,_=0,v=0;const p=u.matrixWorldInverse;for(let d=0,y=c.length;d<y;d++){const x=c[d];if(x.isDirectionalLight){const b=n.directional[h];b.direction.setFromMatrixPosition(x.matrixWorld),s.setFromMatrixPosition(x.target.matrixWorld),b.direction.sub(s),b.direction.transformDirection(p),h++}else if(x.isSpotLight){const b=n.spot[m];b.position.setFromMatrixPosition(x.matrixWorld),b.position.applyMatrix4(p),b.direction.setFromMatrixPosition(x.matrixWorld),s.setFromMatrixPosition(x.target.matrixWorld),b.direction.sub(s),b.direction.transformDirection(p),m++}else if(x.isRectAreaLight){const b=n.rectArea[_];b.position.setFromMatrixPosition(x.matrixWorld),b.position.applyMatrix4(p),o.identity(),r.copy(x.matrixWorld),r.premultiply(p),o.extractRotation(r),b.halfWidth.set(x.width*.5,0,0),b.halfHeight.set(0,x.height*.5,0),b.halfWidth.applyMatrix4(o),b.halfHeight.applyMatrix4(o),_++}else if(x.isPointLight){const b=n.point[f];b.position.setFromMatrixPosition(x.matrixWorld),b.position.applyMatrix4(p),f++}else if(x.isHemisphereLight){const b=n.hemi[v];b.direction.setFromMatrixPosition(x.matrixWorld),b.direction.transformDirection(p),v++}}}return{setup:a,setupView:l,state:n}}function _h(i){const e=new Gx(i),t=[],n=[];function s(u){c.camera=u,t.length=0,n.length=0}function r(u){t.push(u)}function o(u){n.push(u)}function a(u){e.setup(t,u)}function l(u){e.setupView(t,u)}const c={lightsArray:t,shadowsArray:n,camera:null,lights:e,transmissionRenderTarget:{}};return{init:s,state:c,setupLights:a,setupLightsView:l,pushLight:r,pushShadow:o}}function Wx(i){let e=new WeakMap;function t(s,r=0){const o=e.get(s);let a;return o===void 0?(a=new _h(i),e.set(s,[a])):r>=o.length?(a=new _h(i),o.push(a)):a=o[r],a}function n(){e=new WeakMap}return{get:t,dispose:n}}class Xx extends ha{constructor(e){super(),this.isMeshDepthMaterial=!0,this.type="MeshDepthMaterial",this.depthPacking=Bm,this.map=null,this.alphaMap=null,this.displacementMap=null,this.displacementScale=1,this.displacementBias=0,this.wireframe=!1,this.wireframeLinewidth=1,this.setValues(e)}copy(e){return super.copy(e),this.depthPacking=e.depthPacking,this.map=e.map,this.alphaMap=e.alphaMap,this.displacementMap=e.displacementMap,this.displacementScale=e.displacementScale,this.displacementBias=e.displacementBias,this.wireframe=e.wireframe,this.wireframeLinewidth=e.wireframeLinewidth,this}}class $x extends ha{constructor(e){super(),this.isMeshDistanceMaterial=!0,this.type="MeshDistanceMaterial",this.map=null,this.alphaMap=null,this.displacementMap=null,this.displacementScale=1,this.displacementBias=0,this.setValues(e)}copy(e){return super.copy(e),this.map=e.map,this.alphaMap=e.alphaMap,this.displacementMap=e.displacementMap,this.displacementScale=e.displacementScale,this.displacementBias=e.displacementBias,this}}const Yx=`void main() {
	gl_Position = vec4( position, 1.0 );
}`,qx=`uniform sampler2D shadow_pass;
uniform vec2 resolution;
uniform float radius;
#include <packing>
void main() {
	const float samples = float( VSM_SAMPLES );
	float mean = 0.0;
	float squared_mean = 0.0;
	float uvStride = samples <= 1.0 ? 0.0 : 2.0 / ( samples - 1.0 );
	float uvStart = samples <= 1.0 ? 0.0 : - 1.0;
	for ( float i = 0.0; i < samples; i ++ ) {
		float uvOffset = uvStart + i * uvStride;
		#ifdef HORIZONTAL_PASS
			vec2 distribution = unpackRGBATo2Half( texture2D( shadow_pass, ( gl_FragCoord.xy + vec2( uvOffset, 0.0 ) * radius ) / resolution ) );
			mean += distribution.x;
			squared_mean += distribution.y * distribution.y + distribution.x * distribution.x;
		#else
			float depth = unpackRGBAToDepth( texture2D( shadow_pass, ( gl_FragCoord.xy + vec2( 0.0, uvOffset ) * radius ) / resolution ) );
			mean += depth;
			squared_mean += depth * depth;
		#endif
	}
	mean = mean / samples;
	squared_mean = squared_mean / samples;
	float std_dev = sqrt( squared_mean - mean * mean );
	gl_FragColor = pack2HalfToRGBA( vec2( mean, std_dev ) );
}`;function jx(i,e,t){let n=new od;const s=new ze,r=new ze,o=new un,a=new Xx({depthPacking:zm}),l=new $x,c={},u=t.maxTextureSize,h={[ns]:Pn,[Pn]:ns,[ai]:ai},f=new yi({defines:{VSM_SAMPLES:8},uniforms:{shadow_pass:{value:null},resolution:{value:new ze},radius:{value:4}},vertexShader:Yx,fragmentShader:qx}),m=f.clone();m.defines.HORIZONTAL_PASS=1;const _=new ui;_.setAttribute("position",new En(new Float32Array([-1,-1,.5,3,-1,.5,-1,3,.5]),3));const v=new Rn(_,f),p=this;this.enabled=!1,this.autoUpdate=!0,this.needsUpdate=!1,this.type=zf;let d=this.type;this.render=function(T,R,z){if(p.enabled===!1||p.autoUpdate===!1&&p.needsUpdate===!1||T.length===0)return;const w=i.getRenderTarget(),M=i.getActiveCubeFace(),U=i.getActiveMipmapLevel(),G=i.state;G.setBlending(es),G.buffers.color.setClear(1,1,1,1),G.buffers.depth.setTest(!0),G.setScissorTest(!1);const N=d!==Li&&this.type===Li,Z=d===Li&&this.type!==Li;for(let X=0,se=T.length;X<se;X++){const te=T[X],ne=te.shadow;if(ne===void 0){console.warn("THREE.WebGLShadowMap:",te,"has no shadow.");continue}if(ne.autoUpdate===!1&&ne.needsUpdate===!1)continue;s.copy(ne.mapSize);const Y=ne.getFrameExtents();if(s.multiply(Y),r.copy(ne.mapSize),(s.x>u||s.y>u)&&(s.x>u&&(r.x=Math.floor(u/Y.x),s.x=r.x*Y.x,ne.mapSize.x=r.x),s.y>u&&(r.y=Math.floor(u/Y.y),s.y=r.y*Y.y,ne.mapSize.y=r.y)),ne.map===null||N===!0||Z===!0){const fe=this.type!==Li?{minFilter:An,magFilter:An}:{};ne.map!==null&&ne.map.dispose(),ne.map=new Ts(s.x,s.y,fe),ne.map.texture.name=te.name+".shadowMap",ne.camera.updateProjectionMatrix()}i.setRenderTarget(ne.map),i.clear();const q=ne.getViewportCount();for(let fe=0;fe<q;fe++){const P=ne.getViewport(fe);o.set(r.x*P.x,r.y*P.y,r.x*P.z,r.y*P.w),G.viewport(o),ne.updateMatrices(te,fe),n=ne.getFrustum(),b(R,z,ne.camera,te,this.type)}ne.isPointLightShadow!==!0&&this.type===Li&&y(ne,z),ne.needsUpdate=!1}d=this.type,p.needsUpdate=!1,i.setRenderTarget(w,M,U)};function y(T,R){const z=e.update(v);f.defines.VSM_SAMPLES!==T.blurSamples&&(f.defines.VSM_SAMPLES=T.blurSamples,m.defines.VSM_SAMPLES=T.blurSamples,f.needsUpdate=!0,m.needsUpdate=!0),T.mapPass===null&&(T.mapPass=new Ts(s.x,s.y)),f.uniforms.shadow_pass.value=T.map.texture,f.uniforms.resolution.value=T.mapSize,f.uniforms.radius.value=T.radius,i.setRenderTarget(T.mapPass),i.clear(),i.renderBufferDirect(R,null,z,f,v,null),m.uniforms.shadow_pass.value=T.mapPass.texture,m.uniforms.resolution.value=T.mapSize,m.uniforms.radius.value=T.radius,i.setRenderTarget(T.map),i.clear(),i.renderBufferDirect(R,null,z,m,v,null)}function x(T,R,z,w){let M=null;const U=z.isPointLight===!0?T.customDistanceMaterial:T.customDepthMaterial;if(U!==void 0)M=U;else if(M=z.isPointLight===!0?l:a,i.localClippingEnabled&&R.clipShadows===!0&&Array.isArray(R.clippingPlanes)&&R.clippingPlanes.length!==0||R.displacementMap&&R.displacementScale!==0||R.alphaMap&&R.alphaTest>0||R.map&&R.alphaTest>0){const G=M.uuid,N=R.uuid;let Z=c[G];Z===void 0&&(Z={},c[G]=Z);let X=Z[N];X===void 0&&(X=M.clone(),Z[N]=X,R.addEventListener("dispose",H)),M=X}if(M.visible=R.visible,M.wireframe=R.wireframe,w===Li?M.side=R.shadowSide!==null?R.shadowSide:R.side:M.side=R.shadowSide!==null?R.shadowSide:h[R.side],M.alphaMap=R.alphaMap,M.alphaTest=R.alphaTest,M.map=R.map,M.clipShadows=R.clipShadows,M.clippingPlanes=R.clippingPlanes,M.clipIntersection=R.clipIntersection,M.displacementMap=R.displacementMap,M.displacementScale=R.displacementScale,M.displacementBias=R.displacementBias,M.wireframeLinewidth=R.wireframeLinewidth,M.linewidth=R.linewidth,z.isPointLight===!0&&M.isMeshDistanceMaterial===!0){const G=i.properties.get(M);G.light=z}return M}function b(T,R,z,w,M){if(T.visible===!1)return;if(T.layers.test(R.layers)&&(T.isMesh||T.isLine||T.isPoints)&&(T.castShadow||T.receiveShadow&&M===Li)&&(!T.frustumCulled||n.intersectsObject(T))){T.modelViewMatrix.multiplyMatrices(z.matrixWorldInverse,T.matrixWorld);const N=e.update(T),Z=T.material;if(Array.isArray(Z)){const X=N.groups;for(let se=0,te=X.length;se<te;se++){const ne=X[se],Y=Z[ne.materialIndex];if(Y&&Y.visible){const q=x(T,Y,w,M);T.onBeforeShadow(i,T,R,z,N,q,ne),i.renderBufferDirect(z,null,N,q,T,ne),T.onAfterShadow(i,T,R,z,N,q,ne)}}}else if(Z.visible){const X=x(T,Z,w,M);T.onBeforeShadow(i,T,R,z,N,X,null),i.renderBufferDirect(z,null,N,X,T,null),T.onAfterShadow(i,T,R,z,N,X,null)}}const G=T.children;for(let N=0,Z=G.length;N<Z;N++)b(G[N],R,z,w,M)}function H(T){T.target.removeEventListener("dispose",H);for(const z in c){const w=c[z],M=T.target.uuid;M in w&&(w[M].dispose(),delete w[M])}}}function Kx(i){function e(){let S=!1;const J=new un;let re=null;const ge=new un(0,0,0,0);return{setMask:function(Re){re!==Re&&!S&&(i.colorMask(Re,Re,Re,Re),re=Re)},setLocked:function(Re){S=Re},setClear:function(Re,et,it,bt,zt){zt===!0&&(Re*=bt,et*=bt,it*=bt),J.set(Re,et,it,bt),ge.equals(J)===!1&&(i.clearColor(Re,et,it,bt),ge.copy(J))},reset:function(){S=!1,re=null,ge.set(-1,0,0,0)}}}function t(){let S=!1,J=null,re=null,ge=null;return{setTest:function(Re){Re?ae(i.DEPTH_TEST):B(i.DEPTH_TEST)},setMask:function(Re){J!==Re&&!S&&(i.depthMask(Re),J=Re)},setFunc:function(Re){if(re!==Re){switch(Re){case fm:i.depthFunc(i.NEVER);break;case dm:i.depthFunc(i.ALWAYS);break;case pm:i.depthFunc(i.LESS);break;case Ko:i.depthFunc(i.LEQUAL);break;case mm:i.depthFunc(i.EQUAL);break;case gm:i.depthFunc(i.GEQUAL);break;case _m:i.depthFunc(i.GREATER);break;case vm:i.depthFunc(i.NOTEQUAL);break;default:i.depthFunc(i.LEQUAL)}re=Re}},setLocked:function(Re){S=Re},setClear:function(Re){ge!==Re&&(i.clearDepth(Re),ge=Re)},reset:function(){S=!1,J=null,re=null,ge=null}}}function n(){let S=!1,J=null,re=null,ge=null,Re=null,et=null,it=null,bt=null,zt=null;return{setTest:function(lt){S||(lt?ae(i.STENCIL_TEST):B(i.STENCIL_TEST))},setMask:function(lt){J!==lt&&!S&&(i.stencilMask(lt),J=lt)},setFunc:function(lt,It,ut){(re!==lt||ge!==It||Re!==ut)&&(i.stencilFunc(lt,It,ut),re=lt,ge=It,Re=ut)},setOp:function(lt,It,ut){(et!==lt||it!==It||bt!==ut)&&(i.stencilOp(lt,It,ut),et=lt,it=It,bt=ut)},setLocked:function(lt){S=lt},setClear:function(lt){zt!==lt&&(i.clearStencil(lt),zt=lt)},reset:function(){S=!1,J=null,re=null,ge=null,Re=null,et=null,it=null,bt=null,zt=null}}}const s=new e,r=new t,o=new n,a=new WeakMap,l=new WeakMap;let c={},u={},h=new WeakMap,f=[],m=null,_=!1,v=null,p=null,d=null,y=null,x=null,b=null,H=null,T=new St(0,0,0),R=0,z=!1,w=null,M=null,U=null,G=null,N=null;const Z=i.getParameter(i.MAX_COMBINED_TEXTURE_IMAGE_UNITS);let X=!1,se=0;const te=i.getParameter(i.VERSION);te.indexOf("WebGL")!==-1?(se=parseFloat(/^WebGL (\d)/.exec(te)[1]),X=se>=1):te.indexOf("OpenGL ES")!==-1&&(se=parseFloat(/^OpenGL ES (\d)/.exec(te)[1]),X=se>=2);let ne=null,Y={};const q=i.getParameter(i.SCISSOR_BOX),fe=i.getParameter(i.VIEWPORT),P=new un().fromArray(q),V=new un().fromArray(fe);function D(S,J,re,ge){const Re=new Uint8Array(4),et=i.createTexture();i.bindTexture(S,et),i.texParameteri(S,i.TEXTURE_MIN_FILTER,i.NEAREST),i.texParameteri(S,i.TEXTURE_MAG_FILTER,i.NEAREST);for(let it=0;it<re;it++)S===i.TEXTURE_3D||S===i.TEXTURE_2D_ARRAY?i.texImage3D(J,0,i.RGBA,1,1,ge,0,i.RGBA,i.UNSIGNED_BYTE,Re):i.texImage2D(J+it,0,i.RGBA,1,1,0,i.RGBA,i.UNSIGNED_BYTE,Re);return et}const K={};K[i.TEXTURE_2D]=D(i.TEXTURE_2D,i.TEXTURE_2D,1),K[i.TEXTURE_CUBE_MAP]=D(i.TEXTURE_CUBE_MAP,i.TEXTURE_CUBE_MAP_POSITIVE_X,6),K[i.TEXTURE_2D_ARRAY]=D(i.TEXTURE_2D_ARRAY,i.TEXTURE_2D_ARRAY,1,1),K[i.TEXTURE_3D]=D(i.TEXTURE_3D,i.TEXTURE_3D,1,1),s.setClear(0,0,0,1),r.setClear(1),o.setClear(0),ae(i.DEPTH_TEST),r.setFunc(Ko),Ce(!1),Ie(Jc),ae(i.CULL_FACE),be(es);function ae(S){c[S]!==!0&&(i.enable(S),c[S]=!0)}function B(S){c[S]!==!1&&(i.disable(S),c[S]=!1)}function Q(S,J){return u[S]!==J?(i.bindFramebuffer(S,J),u[S]=J,S===i.DRAW_FRAMEBUFFER&&(u[i.FRAMEBUFFER]=J),S===i.FRAMEBUFFER&&(u[i.DRAW_FRAMEBUFFER]=J),!0):!1}function j(S,J){let re=f,ge=!1;if(S){re=h.get(J),re===void 0&&(re=[],h.set(J,re));const Re=S.textures;if(re.length!==Re.length||re[0]!==i.COLOR_ATTACHMENT0){for(let et=0,it=Re.length;et<it;et++)re[et]=i.COLOR_ATTACHMENT0+et;re.length=Re.length,ge=!0}}else re[0]!==i.BACK&&(re[0]=i.BACK,ge=!0);ge&&i.drawBuffers(re)}function F(S){return m!==S?(i.useProgram(S),m=S,!0):!1}const _e={[vs]:i.FUNC_ADD,[jp]:i.FUNC_SUBTRACT,[Kp]:i.FUNC_REVERSE_SUBTRACT};_e[Zp]=i.MIN,_e[Jp]=i.MAX;const xe={[Qp]:i.ZERO,[em]:i.ONE,[tm]:i.SRC_COLOR,[Il]:i.SRC_ALPHA,[am]:i.SRC_ALPHA_SATURATE,[rm]:i.DST_COLOR,[im]:i.DST_ALPHA,[nm]:i.ONE_MINUS_SRC_COLOR,[Nl]:i.ONE_MINUS_SRC_ALPHA,[om]:i.ONE_MINUS_DST_COLOR,[sm]:i.ONE_MINUS_DST_ALPHA,[lm]:i.CONSTANT_COLOR,[cm]:i.ONE_MINUS_CONSTANT_COLOR,[um]:i.CONSTANT_ALPHA,[hm]:i.ONE_MINUS_CONSTANT_ALPHA};function be(S,J,re,ge,Re,et,it,bt,zt,lt){if(S===es){_===!0&&(B(i.BLEND),_=!1);return}if(_===!1&&(ae(i.BLEND),_=!0),S!==qp){if(S!==v||lt!==z){if((p!==vs||x!==vs)&&(i.blendEquation(i.FUNC_ADD),p=vs,x=vs),lt)switch(S){case fr:i.blendFuncSeparate(i.ONE,i.ONE_MINUS_SRC_ALPHA,i.ONE,i.ONE_MINUS_SRC_ALPHA);break;case Qc:i.blendFunc(i.ONE,i.ONE);break;case eu:i.blendFuncSeparate(i.ZERO,i.ONE_MINUS_SRC_COLOR,i.ZERO,i.ONE);break;case tu:i.blendFuncSeparate(i.ZERO,i.SRC_COLOR,i.ZERO,i.SRC_ALPHA);break;default:console.error("THREE.WebGLState: Invalid blending: ",S);break}else switch(S){case fr:i.blendFuncSeparate(i.SRC_ALPHA,i.ONE_MINUS_SRC_ALPHA,i.ONE,i.ONE_MINUS_SRC_ALPHA);break;case Qc:i.blendFunc(i.SRC_ALPHA,i.ONE);break;case eu:i.blendFuncSeparate(i.ZERO,i.ONE_MINUS_SRC_COLOR,i.ZERO,i.ONE);break;case tu:i.blendFunc(i.ZERO,i.SRC_COLOR);break;default:console.error("THREE.WebGLState: Invalid blending: ",S);break}d=null,y=null,b=null,H=null,T.set(0,0,0),R=0,v=S,z=lt}return}Re=Re||J,et=et||re,it=it||ge,(J!==p||Re!==x)&&(i.blendEquationSeparate(_e[J],_e[Re]),p=J,x=Re),(re!==d||ge!==y||et!==b||it!==H)&&(i.blendFuncSeparate(xe[re],xe[ge],xe[et],xe[it]),d=re,y=ge,b=et,H=it),(bt.equals(T)===!1||zt!==R)&&(i.blendColor(bt.r,bt.g,bt.b,zt),T.copy(bt),R=zt),v=S,z=!1}function Me(S,J){S.side===ai?B(i.CULL_FACE):ae(i.CULL_FACE);let re=S.side===Pn;J&&(re=!re),Ce(re),S.blending===fr&&S.transparent===!1?be(es):be(S.blending,S.blendEquation,S.blendSrc,S.blendDst,S.blendEquationAlpha,S.blendSrcAlpha,S.blendDstAlpha,S.blendColor,S.blendAlpha,S.premultipliedAlpha),r.setFunc(S.depthFunc),r.setTest(S.depthTest),r.setMask(S.depthWrite),s.setMask(S.colorWrite);const ge=S.stencilWrite;o.setTest(ge),ge&&(o.setMask(S.stencilWriteMask),o.setFunc(S.stencilFunc,S.stencilRef,S.stencilFuncMask),o.setOp(S.stencilFail,S.stencilZFail,S.stencilZPass)),pt(S.polygonOffset,S.polygonOffsetFactor,S.polygonOffsetUnits),S.alphaToCoverage===!0?ae(i.SAMPLE_ALPHA_TO_COVERAGE):B(i.SAMPLE_ALPHA_TO_COVERAGE)}function Ce(S){w!==S&&(S?i.frontFace(i.CW):i.frontFace(i.CCW),w=S)}function Ie(S){S!==Xp?(ae(i.CULL_FACE),S!==M&&(S===Jc?i.cullFace(i.BACK):S===$p?i.cullFace(i.FRONT):i.cullFace(i.FRONT_AND_BACK))):B(i.CULL_FACE),M=S}function Ke(S){S!==U&&(X&&i.lineWidth(S),U=S)}function pt(S,J,re){S?(ae(i.POLYGON_OFFSET_FILL),(G!==J||N!==re)&&(i.polygonOffset(J,re),G=J,N=re)):B(i.POLYGON_OFFSET_FILL)}function k(S){S?ae(i.SCISSOR_TEST):B(i.SCISSOR_TEST)}function A(S){S===void 0&&(S=i.TEXTURE0+Z-1),ne!==S&&(i.activeTexture(S),ne=S)}function ce(S,J,re){re===void 0&&(ne===null?re=i.TEXTURE0+Z-1:re=ne);let ge=Y[re];ge===void 0&&(ge={type:void 0,texture:void 0},Y[re]=ge),(ge.type!==S||ge.texture!==J)&&(ne!==re&&(i.activeTexture(re),ne=re),i.bindTexture(S,J||K[S]),ge.type=S,ge.texture=J)}function pe(){const S=Y[ne];S!==void 0&&S.type!==void 0&&(i.bindTexture(S.type,null),S.type=void 0,S.texture=void 0)}function ve(){try{i.compressedTexImage2D.apply(i,arguments)}catch(S){console.error("THREE.WebGLState:",S)}}function he(){try{i.compressedTexImage3D.apply(i,arguments)}catch(S){console.error("THREE.WebGLState:",S)}}function de(){try{i.texSubImage2D.apply(i,arguments)}catch(S){console.error("THREE.WebGLState:",S)}}function Se(){try{i.texSubImage3D.apply(i,arguments)}catch(S){console.error("THREE.WebGLState:",S)}}function Ee(){try{i.compressedTexSubImage2D.apply(i,arguments)}catch(S){console.error("THREE.WebGLState:",S)}}function Xe(){try{i.compressedTexSubImage3D.apply(i,arguments)}catch(S){console.error("THREE.WebGLState:",S)}}function Te(){try{i.texStorage2D.apply(i,arguments)}catch(S){console.error("THREE.WebGLState:",S)}}function ke(){try{i.texStorage3D.apply(i,arguments)}catch(S){console.error("THREE.WebGLState:",S)}}function Qe(){try{i.texImage2D.apply(i,arguments)}catch(S){console.error("THREE.WebGLState:",S)}}function Be(){try{i.texImage3D.apply(i,arguments)}catch(S){console.error("THREE.WebGLState:",S)}}function Pe(S){P.equals(S)===!1&&(i.scissor(S.x,S.y,S.z,S.w),P.copy(S))}function Ve(S){V.equals(S)===!1&&(i.viewport(S.x,S.y,S.z,S.w),V.copy(S))}function $e(S,J){let re=l.get(J);re===void 0&&(re=new WeakMap,l.set(J,re));let ge=re.get(S);ge===void 0&&(ge=i.getUniformBlockIndex(J,S.name),re.set(S,ge))}function ht(S,J){const ge=l.get(J).get(S);a.get(J)!==ge&&(i.uniformBlockBinding(J,ge,S.__bindingPointIndex),a.set(J,ge))}function Ze(){i.disable(i.BLEND),i.disable(i.CULL_FACE),i.disable(i.DEPTH_TEST),i.disable(i.POLYGON_OFFSET_FILL),i.disable(i.SCISSOR_TEST),i.disable(i.STENCIL_TEST),i.disable(i.SAMPLE_ALPHA_TO_COVERAGE),i.blendEquation(i.FUNC_ADD),i.blendFunc(i.ONE,i.ZERO),i.blendFuncSeparate(i.ONE,i.ZERO,i.ONE,i.ZERO),i.blendColor(0,0,0,0),i.colorMask(!0,!0,!0,!0),i.clearColor(0,0,0,0),i.depthMask(!0),i.depthFunc(i.LESS),i.clearDepth(1),i.stencilMask(4294967295),i.stencilFunc(i.ALWAYS,0,4294967295),i.stencilOp(i.KEEP,i.KEEP,i.KEEP),i.clearStencil(0),i.cullFace(i.BACK),i.frontFace(i.CCW),i.polygonOffset(0,0),i.activeTexture(i.TEXTURE0),i.bindFramebuffer(i.FRAMEBUFFER,null),i.bindFramebuffer(i.DRAW_FRAMEBUFFER,null),i.bindFramebuffer(i.READ_FRAMEBUFFER,null),i.useProgram(null),i.lineWidth(1),i.scissor(0,0,i.canvas.width,i.canvas.height),i.viewport(0,0,i.canvas.width,i.canvas.height),c={},ne=null,Y={},u={},h=new WeakMap,f=[],m=null,_=!1,v=null,p=null,d=null,y=null,x=null,b=null,H=null,T=new St(0,0,0),R=0,z=!1,w=null,M=null,U=null,G=null,N=null,P.set(0,0,i.canvas.width,i.canvas.height),V.set(0,0,i.canvas.width,i.canvas.height),s.reset(),r.reset(),o.reset()}return{buffers:{color:s,depth:r,stencil:o},enable:ae,disable:B,bindFramebuffer:Q,drawBuffers:j,useProgram:F,setBlending:be,setMaterial:Me,setFlipSided:Ce,setCullFace:Ie,setLineWidth:Ke,setPolygonOffset:pt,setScissorTest:k,activeTexture:A,bindTexture:ce,unbindTexture:pe,compressedTexImage2D:ve,compressedTexImage3D:he,texImage2D:Qe,texImage3D:Be,updateUBOMapping:$e,uniformBlockBinding:ht,texStorage2D:Te,texStorage3D:ke,texSubImage2D:de,texSubImage3D:Se,compressedTexSubImage2D:Ee,compressedTexSubImage3D:Xe,scissor:Pe,viewport:Ve,reset:Ze}}function Zx(i,e,t,n,s,r,o){const a=e.has("WEBGL_multisampled_render_to_texture")?e.get("WEBGL_multisampled_render_to_texture"):null,l=typeof navigator>"u"?!1:/OculusBrowser/g.test(navigator.userAgent),c=new ze,u=new WeakMap;let h;const f=new WeakMap;let m=!1;try{m=typeof OffscreenCanvas<"u"&&new OffscreenCanvas(1,1).getContext("2d")!==null}catch{}function _(k,A){return m?new OffscreenCanvas(k,A):ta("canvas")}function v(k,A,ce){let pe=1;const ve=pt(k);if((ve.width>ce||ve.height>ce)&&(pe=ce/Math.max(ve.width,ve.height)),pe<1)if(typeof HTMLImageElement<"u"&&k instanceof HTMLImageElement||typeof HTMLCanvasElement<"u"&&k instanceof HTMLCanvasElement||typeof ImageBitmap<"u"&&k instanceof ImageBitmap||typeof VideoFrame<"u"&&k instanceof VideoFrame){const he=Math.floor(pe*ve.width),de=Math.floor(pe*ve.height);h===void 0&&(h=_(he,de));const Se=A?_(he,de):h;return Se.width=he,Se.height=de,Se.getContext("2d").drawImage(k,0,0,he,de),console.warn("THREE.WebGLRenderer: Texture has been resized from ("+ve.width+"x"+ve.height+") to ("+he+"x"+de+")."),Se}else return"data"in k&&console.warn("THREE.WebGLRenderer: Image in DataTexture is too big ("+ve.width+"x"+ve.height+")."),k;return k}function p(k){return k.generateMipmaps&&k.minFilter!==An&&k.minFilter!==li}function d(k){i.generateMipmap(k)}function y(k,A,ce,pe,ve=!1){if(k!==null){if(i[k]!==void 0)return i[k];console.warn("THREE.WebGLRenderer: Attempt to use non-existing WebGL internal format '"+k+"'")}let he=A;if(A===i.RED&&(ce===i.FLOAT&&(he=i.R32F),ce===i.HALF_FLOAT&&(he=i.R16F),ce===i.UNSIGNED_BYTE&&(he=i.R8)),A===i.RED_INTEGER&&(ce===i.UNSIGNED_BYTE&&(he=i.R8UI),ce===i.UNSIGNED_SHORT&&(he=i.R16UI),ce===i.UNSIGNED_INT&&(he=i.R32UI),ce===i.BYTE&&(he=i.R8I),ce===i.SHORT&&(he=i.R16I),ce===i.INT&&(he=i.R32I)),A===i.RG&&(ce===i.FLOAT&&(he=i.RG32F),ce===i.HALF_FLOAT&&(he=i.RG16F),ce===i.UNSIGNED_BYTE&&(he=i.RG8)),A===i.RG_INTEGER&&(ce===i.UNSIGNED_BYTE&&(he=i.RG8UI),ce===i.UNSIGNED_SHORT&&(he=i.RG16UI),ce===i.UNSIGNED_INT&&(he=i.RG32UI),ce===i.BYTE&&(he=i.RG8I),ce===i.SHORT&&(he=i.RG16I),ce===i.INT&&(he=i.RG32I)),A===i.RGB&&ce===i.UNSIGNED_INT_5_9_9_9_REV&&(he=i.RGB9_E5),A===i.RGBA){const de=ve?Zo:vt.getTransfer(pe);ce===i.FLOAT&&(he=i.RGBA32F),ce===i.HALF_FLOAT&&(he=i.RGBA16F),ce===i.UNSIGNED_BYTE&&(he=de===Pt?i.SRGB8_ALPHA8:i.RGBA8),ce===i.UNSIGNED_SHORT_4_4_4_4&&(he=i.RGBA4),ce===i.UNSIGNED_SHORT_5_5_5_1&&(he=i.RGB5_A1)}return(he===i.R16F||he===i.R32F||he===i.RG16F||he===i.RG32F||he===i.RGBA16F||he===i.RGBA32F)&&e.get("EXT_color_buffer_float"),he}function x(k,A){return p(k)===!0||k.isFramebufferTexture&&k.minFilter!==An&&k.minFilter!==li?Math.log2(Math.max(A.width,A.height))+1:k.mipmaps!==void 0&&k.mipmaps.length>0?k.mipmaps.length:k.isCompressedTexture&&Array.isArray(k.image)?A.mipmaps.length:1}function b(k){const A=k.target;A.removeEventListener("dispose",b),T(A),A.isVideoTexture&&u.delete(A)}function H(k){const A=k.target;A.removeEventListener("dispose",H),z(A)}function T(k){const A=n.get(k);if(A.__webglInit===void 0)return;const ce=k.source,pe=f.get(ce);if(pe){const ve=pe[A.__cacheKey];ve.usedTimes--,ve.usedTimes===0&&R(k),Object.keys(pe).length===0&&f.delete(ce)}n.remove(k)}function R(k){const A=n.get(k);i.deleteTexture(A.__webglTexture);const ce=k.source,pe=f.get(ce);delete pe[A.__cacheKey],o.memory.textures--}function z(k){const A=n.get(k);if(k.depthTexture&&k.depthTexture.dispose(),k.isWebGLCubeRenderTarget)for(let pe=0;pe<6;pe++){if(Array.isArray(A.__webglFramebuffer[pe]))for(let ve=0;ve<A.__webglFramebuffer[pe].length;ve++)i.deleteFramebuffer(A.__webglFramebuffer[pe][ve]);else i.deleteFramebuffer(A.__webglFramebuffer[pe]);A.__webglDepthbuffer&&i.deleteRenderbuffer(A.__webglDepthbuffer[pe])}else{if(Array.isArray(A.__webglFramebuffer))for(let pe=0;pe<A.__webglFramebuffer.length;pe++)i.deleteFramebuffer(A.__webglFramebuffer[pe]);else i.deleteFramebuffer(A.__webglFramebuffer);if(A.__webglDepthbuffer&&i.deleteRenderbuffer(A.__webglDepthbuffer),A.__webglMultisampledFramebuffer&&i.deleteFramebuffer(A.__webglMultisampledFramebuffer),A.__webglColorRenderbuffer)for(let pe=0;pe<A.__webglColorRenderbuffer.length;pe++)A.__webglColorRenderbuffer[pe]&&i.deleteRenderbuffer(A.__webglColorRenderbuffer[pe]);A.__webglDepthRenderbuffer&&i.deleteRenderbuffer(A.__webglDepthRenderbuffer)}const ce=k.textures;for(let pe=0,ve=ce.length;pe<ve;pe++){const he=n.get(ce[pe]);he.__webglTexture&&(i.deleteTexture(he.__webglTexture),o.memory.textures--),n.remove(ce[pe])}n.remove(k)}let w=0;function M(){w=0}function U(){const k=w;return k>=s.maxTextures&&console.warn("THREE.WebGLTextures: Trying to use "+k+" texture units while this GPU supports only "+s.maxTextures),w+=1,k}function G(k){const A=[];return A.push(k.wrapS),A.push(k.wrapT),A.push(k.wrapR||0),A.push(k.magFilter),A.push(k.minFilter),A.push(k.anisotropy),A.push(k.internalFormat),A.push(k.format),A.push(k.type),A.push(k.generateMipmaps),A.push(k.premultiplyAlpha),A.push(k.flipY),A.push(k.unpackAlignment),A.push(k.colorSpace),A.join()}function N(k,A){const ce=n.get(k);if(k.isVideoTexture&&Ie(k),k.isRenderTargetTexture===!1&&k.version>0&&ce.__version!==k.version){const pe=k.image;if(pe===null)console.warn("THREE.WebGLRenderer: Texture marked for update but no image data found.");else if(pe.complete===!1)console.warn("THREE.WebGLRenderer: Texture marked for update but image is incomplete");else{P(ce,k,A);return}}t.bindTexture(i.TEXTURE_2D,ce.__webglTexture,i.TEXTURE0+A)}function Z(k,A){const ce=n.get(k);if(k.version>0&&ce.__version!==k.version){P(ce,k,A);return}t.bindTexture(i.TEXTURE_2D_ARRAY,ce.__webglTexture,i.TEXTURE0+A)}function X(k,A){const ce=n.get(k);if(k.version>0&&ce.__version!==k.version){P(ce,k,A);return}t.bindTexture(i.TEXTURE_3D,ce.__webglTexture,i.TEXTURE0+A)}function se(k,A){const ce=n.get(k);if(k.version>0&&ce.__version!==k.version){V(ce,k,A);return}t.bindTexture(i.TEXTURE_CUBE_MAP,ce.__webglTexture,i.TEXTURE0+A)}const te={[kl]:i.REPEAT,[ys]:i.CLAMP_TO_EDGE,[Bl]:i.MIRRORED_REPEAT},ne={[An]:i.NEAREST,[Rm]:i.NEAREST_MIPMAP_NEAREST,[mo]:i.NEAREST_MIPMAP_LINEAR,[li]:i.LINEAR,[za]:i.LINEAR_MIPMAP_NEAREST,[Es]:i.LINEAR_MIPMAP_LINEAR},Y={[Gm]:i.NEVER,[jm]:i.ALWAYS,[Wm]:i.LESS,[Kf]:i.LEQUAL,[Xm]:i.EQUAL,[qm]:i.GEQUAL,[$m]:i.GREATER,[Ym]:i.NOTEQUAL};function q(k,A){if(A.type===Qi&&e.has("OES_texture_float_linear")===!1&&(A.magFilter===li||A.magFilter===za||A.magFilter===mo||A.magFilter===Es||A.minFilter===li||A.minFilter===za||A.minFilter===mo||A.minFilter===Es)&&console.warn("THREE.WebGLRenderer: Unable to use linear filtering with floating point textures. OES_texture_float_linear not supported on this device."),i.texParameteri(k,i.TEXTURE_WRAP_S,te[A.wrapS]),i.texParameteri(k,i.TEXTURE_WRAP_T,te[A.wrapT]),(k===i.TEXTURE_3D||k===i.TEXTURE_2D_ARRAY)&&i.texParameteri(k,i.TEXTURE_WRAP_R,te[A.wrapR]),i.texParameteri(k,i.TEXTURE_MAG_FILTER,ne[A.magFilter]),i.texParameteri(k,i.TEXTURE_MIN_FILTER,ne[A.minFilter]),A.compareFunction&&(i.texParameteri(k,i.TEXTURE_COMPARE_MODE,i.COMPARE_REF_TO_TEXTURE),i.texParameteri(k,i.TEXTURE_COMPARE_FUNC,Y[A.compareFunction])),e.has("EXT_texture_filter_anisotropic")===!0){if(A.magFilter===An||A.minFilter!==mo&&A.minFilter!==Es||A.type===Qi&&e.has("OES_texture_float_linear")===!1)return;if(A.anisotropy>1||n.get(A).__currentAnisotropy){const ce=e.get("EXT_texture_filter_anisotropic");i.texParameterf(k,ce.TEXTURE_MAX_ANISOTROPY_EXT,Math.min(A.anisotropy,s.getMaxAnisotropy())),n.get(A).__currentAnisotropy=A.anisotropy}}}function fe(k,A){let ce=!1;k.__webglInit===void 0&&(k.__webglInit=!0,A.addEventListener("dispose",b));const pe=A.source;let ve=f.get(pe);ve===void 0&&(ve={},f.set(pe,ve));const he=G(A);if(he!==k.__cacheKey){ve[he]===void 0&&(ve[he]={texture:i.createTexture(),usedTimes:0},o.memory.textures++,ce=!0),ve[he].usedTimes++;const de=ve[k.__cacheKey];de!==void 0&&(ve[k.__cacheKey].usedTimes--,de.usedTimes===0&&R(A)),k.__cacheKey=he,k.__webglTexture=ve[he].texture}return ce}function P(k,A,ce){let pe=i.TEXTURE_2D;(A.isDataArrayTexture||A.isCompressedArrayTexture)&&(pe=i.TEXTURE_2D_ARRAY),A.isData3DTexture&&(pe=i.TEXTURE_3D);const ve=fe(k,A),he=A.source;t.bindTexture(pe,k.__webglTexture,i.TEXTURE0+ce);const de=n.get(he);if(he.version!==de.__version||ve===!0){t.activeTexture(i.TEXTURE0+ce);const Se=vt.getPrimaries(vt.workingColorSpace),Ee=A.colorSpace===Ji?null:vt.getPrimaries(A.colorSpace),Xe=A.colorSpace===Ji||Se===Ee?i.NONE:i.BROWSER_DEFAULT_WEBGL;i.pixelStorei(i.UNPACK_FLIP_Y_WEBGL,A.flipY),i.pixelStorei(i.UNPACK_PREMULTIPLY_ALPHA_WEBGL,A.premultiplyAlpha),i.pixelStorei(i.UNPACK_ALIGNMENT,A.unpackAlignment),i.pixelStorei(i.UNPACK_COLORSPACE_CONVERSION_WEBGL,Xe);let Te=v(A.image,!1,s.maxTextureSize);Te=Ke(A,Te);const ke=r.convert(A.format,A.colorSpace),Qe=r.convert(A.type);let Be=y(A.internalFormat,ke,Qe,A.colorSpace,A.isVideoTexture);q(pe,A);let Pe;const Ve=A.mipmaps,$e=A.isVideoTexture!==!0,ht=de.__version===void 0||ve===!0,Ze=he.dataReady,S=x(A,Te);if(A.isDepthTexture)Be=i.DEPTH_COMPONENT16,A.type===Qi?Be=i.DEPTH_COMPONENT32F:A.type===xr?Be=i.DEPTH_COMPONENT24:A.type===io&&(Be=i.DEPTH24_STENCIL8),ht&&($e?t.texStorage2D(i.TEXTURE_2D,1,Be,Te.width,Te.height):t.texImage2D(i.TEXTURE_2D,0,Be,Te.width,Te.height,0,ke,Qe,null));else if(A.isDataTexture)if(Ve.length>0){$e&&ht&&t.texStorage2D(i.TEXTURE_2D,S,Be,Ve[0].width,Ve[0].height);for(let J=0,re=Ve.length;J<re;J++)Pe=Ve[J],$e?Ze&&t.texSubImage2D(i.TEXTURE_2D,J,0,0,Pe.width,Pe.height,ke,Qe,Pe.data):t.texImage2D(i.TEXTURE_2D,J,Be,Pe.width,Pe.height,0,ke,Qe,Pe.data);A.generateMipmaps=!1}else $e?(ht&&t.texStorage2D(i.TEXTURE_2D,S,Be,Te.width,Te.height),Ze&&t.texSubImage2D(i.TEXTURE_2D,0,0,0,Te.width,Te.height,ke,Qe,Te.data)):t.texImage2D(i.TEXTURE_2D,0,Be,Te.width,Te.height,0,ke,Qe,Te.data);else if(A.isCompressedTexture)if(A.isCompressedArrayTexture){$e&&ht&&t.texStorage3D(i.TEXTURE_2D_ARRAY,S,Be,Ve[0].width,Ve[0].height,Te.depth);for(let J=0,re=Ve.length;J<re;J++)Pe=Ve[J],A.format!==Mi?ke!==null?$e?Ze&&t.compressedTexSubImage3D(i.TEXTURE_2D_ARRAY,J,0,0,0,Pe.width,Pe.height,Te.depth,ke,Pe.data,0,0):t.compressedTexImage3D(i.TEXTURE_2D_ARRAY,J,Be,Pe.width,Pe.height,Te.depth,0,Pe.data,0,0):console.warn("THREE.WebGLRenderer: Attempt to load unsupported compressed texture format in .uploadTexture()"):$e?Ze&&t.texSubImage3D(i.TEXTURE_2D_ARRAY,J,0,0,0,Pe.width,Pe.height,Te.depth,ke,Qe,Pe.data):t.texImage3D(i.TEXTURE_2D_ARRAY,J,Be,Pe.width,Pe.height,Te.depth,0,ke,Qe,Pe.data)}else{$e&&ht&&t.texStorage2D(i.TEXTURE_2D,S,Be,Ve[0].width,Ve[0].height);for(let J=0,re=Ve.length;J<re;J++)Pe=Ve[J],A.format!==Mi?ke!==null?$e?Ze&&t.compressedTexSubImage2D(i.TEXTURE_2D,J,0,0,Pe.width,Pe.height,ke,Pe.data):t.compressedTexImage2D(i.TEXTURE_2D,J,Be,Pe.width,Pe.height,0,Pe.data):console.warn("THREE.WebGLRenderer: Attempt to load unsupported compressed texture format in .uploadTexture()"):$e?Ze&&t.texSubImage2D(i.TEXTURE_2D,J,0,0,Pe.width,Pe.height,ke,Qe,Pe.data):t.texImage2D(i.TEXTURE_2D,J,Be,Pe.width,Pe.height,0,ke,Qe,Pe.data)}else if(A.isDataArrayTexture)$e?(ht&&t.texStorage3D(i.TEXTURE_2D_ARRAY,S,Be,Te.width,Te.height,Te.depth),Ze&&t.texSubImage3D(i.TEXTURE_2D_ARRAY,0,0,0,0,Te.width,Te.height,Te.depth,ke,Qe,Te.data)):t.texImage3D(i.TEXTURE_2D_ARRAY,0,Be,Te.width,Te.height,Te.depth,0,ke,Qe,Te.data);else if(A.isData3DTexture)$e?(ht&&t.texStorage3D(i.TEXTURE_3D,S,Be,Te.width,Te.height,Te.depth),Ze&&t.texSubImage3D(i.TEXTURE_3D,0,0,0,0,Te.width,Te.height,Te.depth,ke,Qe,Te.data)):t.texImage3D(i.TEXTURE_3D,0,Be,Te.width,Te.height,Te.depth,0,ke,Qe,Te.data);else if(A.isFramebufferTexture){if(ht)if($e)t.texStorage2D(i.TEXTURE_2D,S,Be,Te.width,Te.height);else{let J=Te.width,re=Te.height;for(let ge=0;ge<S;ge++)t.texImage2D(i.TEXTURE_2D,ge,Be,J,re,0,ke,Qe,null),J>>=1,re>>=1}}else if(Ve.length>0){if($e&&ht){const J=pt(Ve[0]);t.texStorage2D(i.TEXTURE_2D,S,Be,J.width,J.height)}for(let J=0,re=Ve.length;J<re;J++)Pe=Ve[J],$e?Ze&&t.texSubImage2D(i.TEXTURE_2D,J,0,0,ke,Qe,Pe):t.texImage2D(i.TEXTURE_2D,J,Be,ke,Qe,Pe);A.generateMipmaps=!1}else if($e){if(ht){const J=pt(Te);t.texStorage2D(i.TEXTURE_2D,S,Be,J.width,J.height)}Ze&&t.texSubImage2D(i.TEXTURE_2D,0,0,0,ke,Qe,Te)}else t.texImage2D(i.TEXTURE_2D,0,Be,ke,Qe,Te);p(A)&&d(pe),de.__version=he.version,A.onUpdate&&A.onUpdate(A)}k.__version=A.version}function V(k,A,ce){if(A.image.length!==6)return;const pe=fe(k,A),ve=A.source;t.bindTexture(i.TEXTURE_CUBE_MAP,k.__webglTexture,i.TEXTURE0+ce);const he=n.get(ve);if(ve.version!==he.__version||pe===!0){t.activeTexture(i.TEXTURE0+ce);const de=vt.getPrimaries(vt.workingColorSpace),Se=A.colorSpace===Ji?null:vt.getPrimaries(A.colorSpace),Ee=A.colorSpace===Ji||de===Se?i.NONE:i.BROWSER_DEFAULT_WEBGL;i.pixelStorei(i.UNPACK_FLIP_Y_WEBGL,A.flipY),i.pixelStorei(i.UNPACK_PREMULTIPLY_ALPHA_WEBGL,A.premultiplyAlpha),i.pixelStorei(i.UNPACK_ALIGNMENT,A.unpackAlignment),i.pixelStorei(i.UNPACK_COLORSPACE_CONVERSION_WEBGL,Ee);const Xe=A.isCompressedTexture||A.image[0].isCompressedTexture,Te=A.image[0]&&A.image[0].isDataTexture,ke=[];for(let re=0;re<6;re++)!Xe&&!Te?ke[re]=v(A.image[re],!0,s.maxCubemapSize):ke[re]=Te?A.image[re].image:A.image[re],ke[re]=Ke(A,ke[re]);const Qe=ke[0],Be=r.convert(A.format,A.colorSpace),Pe=r.convert(A.type),Ve=y(A.internalFormat,Be,Pe,A.colorSpace),$e=A.isVideoTexture!==!0,ht=he.__version===void 0||pe===!0,Ze=ve.dataReady;let S=x(A,Qe);q(i.TEXTURE_CUBE_MAP,A);let J;if(Xe){$e&&ht&&t.texStorage2D(i.TEXTURE_CUBE_MAP,S,Ve,Qe.width,Qe.height);for(let re=0;re<6;re++){J=ke[re].mipmaps;for(let ge=0;ge<J.length;ge++){const Re=J[ge];A.format!==Mi?Be!==null?$e?Ze&&t.compressedTexSubImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+re,ge,0,0,Re.width,Re.height,Be,Re.data):t.compressedTexImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+re,ge,Ve,Re.width,Re.height,0,Re.data):console.warn("THREE.WebGLRenderer: Attempt to load unsupported compressed texture format in .setTextureCube()"):$e?Ze&&t.texSubImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+re,ge,0,0,Re.width,Re.height,Be,Pe,Re.data):t.texImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+re,ge,Ve,Re.width,Re.height,0,Be,Pe,Re.data)}}}else{if(J=A.mipmaps,$e&&ht){J.length>0&&S++;const re=pt(ke[0]);t.texStorage2D(i.TEXTURE_CUBE_MAP,S,Ve,re.width,re.height)}for(let re=0;re<6;re++)if(Te){$e?Ze&&t.texSubImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+re,0,0,0,ke[re].width,ke[re].height,Be,Pe,ke[re].data):t.texImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+re,0,Ve,ke[re].width,ke[re].height,0,Be,Pe,ke[re].data);for(let ge=0;ge<J.length;ge++){const et=J[ge].image[re].image;$e?Ze&&t.texSubImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+re,ge+1,0,0,et.width,et.height,Be,Pe,et.data):t.texImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+re,ge+1,Ve,et.width,et.height,0,Be,Pe,et.data)}}else{$e?Ze&&t.texSubImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+re,0,0,0,Be,Pe,ke[re]):t.texImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+re,0,Ve,Be,Pe,ke[re]);for(let ge=0;ge<J.length;ge++){const Re=J[ge];$e?Ze&&t.texSubImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+re,ge+1,0,0,Be,Pe,Re.image[re]):t.texImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+re,ge+1,Ve,Be,Pe,Re.image[re])}}}p(A)&&d(i.TEXTURE_CUBE_MAP),he.__version=ve.version,A.onUpdate&&A.onUpdate(A)}k.__version=A.version}function D(k,A,ce,pe,ve,he){const de=r.convert(ce.format,ce.colorSpace),Se=r.convert(ce.type),Ee=y(ce.internalFormat,de,Se,ce.colorSpace);if(!n.get(A).__hasExternalTextures){const Te=Math.max(1,A.width>>he),ke=Math.max(1,A.height>>he);ve===i.TEXTURE_3D||ve===i.TEXTURE_2D_ARRAY?t.texImage3D(ve,he,Ee,Te,ke,A.depth,0,de,Se,null):t.texImage2D(ve,he,Ee,Te,ke,0,de,Se,null)}t.bindFramebuffer(i.FRAMEBUFFER,k),Ce(A)?a.framebufferTexture2DMultisampleEXT(i.FRAMEBUFFER,pe,ve,n.get(ce).__webglTexture,0,Me(A)):(ve===i.TEXTURE_2D||ve>=i.TEXTURE_CUBE_MAP_POSITIVE_X&&ve<=i.TEXTURE_CUBE_MAP_NEGATIVE_Z)&&i.framebufferTexture2D(i.FRAMEBUFFER,pe,ve,n.get(ce).__webglTexture,he),t.bindFramebuffer(i.FRAMEBUFFER,null)}function K(k,A,ce){if(i.bindRenderbuffer(i.RENDERBUFFER,k),A.depthBuffer&&!A.stencilBuffer){let pe=i.DEPTH_COMPONENT24;if(ce||Ce(A)){const ve=A.depthTexture;ve&&ve.isDepthTexture&&(ve.type===Qi?pe=i.DEPTH_COMPONENT32F:ve.type===xr&&(pe=i.DEPTH_COMPONENT24));const he=Me(A);Ce(A)?a.renderbufferStorageMultisampleEXT(i.RENDERBUFFER,he,pe,A.width,A.height):i.renderbufferStorageMultisample(i.RENDERBUFFER,he,pe,A.width,A.height)}else i.renderbufferStorage(i.RENDERBUFFER,pe,A.width,A.height);i.framebufferRenderbuffer(i.FRAMEBUFFER,i.DEPTH_ATTACHMENT,i.RENDERBUFFER,k)}else if(A.depthBuffer&&A.stencilBuffer){const pe=Me(A);ce&&Ce(A)===!1?i.renderbufferStorageMultisample(i.RENDERBUFFER,pe,i.DEPTH24_STENCIL8,A.width,A.height):Ce(A)?a.renderbufferStorageMultisampleEXT(i.RENDERBUFFER,pe,i.DEPTH24_STENCIL8,A.width,A.height):i.renderbufferStorage(i.RENDERBUFFER,i.DEPTH_STENCIL,A.width,A.height),i.framebufferRenderbuffer(i.FRAMEBUFFER,i.DEPTH_STENCIL_ATTACHMENT,i.RENDERBUFFER,k)}else{const pe=A.textures;for(let ve=0;ve<pe.length;ve++){const he=pe[ve],de=r.convert(he.format,he.colorSpace),Se=r.convert(he.type),Ee=y(he.internalFormat,de,Se,he.colorSpace),Xe=Me(A);ce&&Ce(A)===!1?i.renderbufferStorageMultisample(i.RENDERBUFFER,Xe,Ee,A.width,A.height):Ce(A)?a.renderbufferStorageMultisampleEXT(i.RENDERBUFFER,Xe,Ee,A.width,A.height):i.renderbufferStorage(i.RENDERBUFFER,Ee,A.width,A.height)}}i.bindRenderbuffer(i.RENDERBUFFER,null)}function ae(k,A){if(A&&A.isWebGLCubeRenderTarget)throw new Error("Depth Texture with cube render targets is not supported");if(t.bindFramebuffer(i.FRAMEBUFFER,k),!(A.depthTexture&&A.depthTexture.isDepthTexture))throw new Error("renderTarget.depthTexture must be an instance of THREE.DepthTexture");(!n.get(A.depthTexture).__webglTexture||A.depthTexture.image.width!==A.width||A.depthTexture.image.height!==A.height)&&(A.depthTexture.image.width=A.width,A.depthTexture.image.height=A.height,A.depthTexture.needsUpdate=!0),N(A.depthTexture,0);const pe=n.get(A.depthTexture).__webglTexture,ve=Me(A);if(A.depthTexture.format===dr)Ce(A)?a.framebufferTexture2DMultisampleEXT(i.FRAMEBUFFER,i.DEPTH_ATTACHMENT,i.TEXTURE_2D,pe,0,ve):i.framebufferTexture2D(i.FRAMEBUFFER,i.DEPTH_ATTACHMENT,i.TEXTURE_2D,pe,0);else if(A.depthTexture.format===Jr)Ce(A)?a.framebufferTexture2DMultisampleEXT(i.FRAMEBUFFER,i.DEPTH_STENCIL_ATTACHMENT,i.TEXTURE_2D,pe,0,ve):i.framebufferTexture2D(i.FRAMEBUFFER,i.DEPTH_STENCIL_ATTACHMENT,i.TEXTURE_2D,pe,0);else throw new Error("Unknown depthTexture format")}function B(k){const A=n.get(k),ce=k.isWebGLCubeRenderTarget===!0;if(k.depthTexture&&!A.__autoAllocateDepthBuffer){if(ce)throw new Error("target.depthTexture not supported in Cube render targets");ae(A.__webglFramebuffer,k)}else if(ce){A.__webglDepthbuffer=[];for(let pe=0;pe<6;pe++)t.bindFramebuffer(i.FRAMEBUFFER,A.__webglFramebuffer[pe]),A.__webglDepthbuffer[pe]=i.createRenderbuffer(),K(A.__webglDepthbuffer[pe],k,!1)}else t.bindFramebuffer(i.FRAMEBUFFER,A.__webglFramebuffer),A.__webglDepthbuffer=i.createRenderbuffer(),K(A.__webglDepthbuffer,k,!1);t.bindFramebuffer(i.FRAMEBUFFER,null)}function Q(k,A,ce){const pe=n.get(k);A!==void 0&&D(pe.__webglFramebuffer,k,k.texture,i.COLOR_ATTACHMENT0,i.TEXTURE_2D,0),ce!==void 0&&B(k)}function j(k){const A=k.texture,ce=n.get(k),pe=n.get(A);k.addEventListener("dispose",H);const ve=k.textures,he=k.isWebGLCubeRenderTarget===!0,de=ve.length>1;if(de||(pe.__webglTexture===void 0&&(pe.__webglTexture=i.createTexture()),pe.__version=A.version,o.memory.textures++),he){ce.__webglFramebuffer=[];for(let Se=0;Se<6;Se++)if(A.mipmaps&&A.mipmaps.length>0){ce.__webglFramebuffer[Se]=[];for(let Ee=0;Ee<A.mipmaps.length;Ee++)ce.__webglFramebuffer[Se][Ee]=i.createFramebuffer()}else ce.__webglFramebuffer[Se]=i.createFramebuffer()}else{if(A.mipmaps&&A.mipmaps.length>0){ce.__webglFramebuffer=[];for(let Se=0;Se<A.mipmaps.length;Se++)ce.__webglFramebuffer[Se]=i.createFramebuffer()}else ce.__webglFramebuffer=i.createFramebuffer();if(de)for(let Se=0,Ee=ve.length;Se<Ee;Se++){const Xe=n.get(ve[Se]);Xe.__webglTexture===void 0&&(Xe.__webglTexture=i.createTexture(),o.memory.textures++)}if(k.samples>0&&Ce(k)===!1){ce.__webglMultisampledFramebuffer=i.createFramebuffer(),ce.__webglColorRenderbuffer=[],t.bindFramebuffer(i.FRAMEBUFFER,ce.__webglMultisampledFramebuffer);for(let Se=0;Se<ve.length;Se++){const Ee=ve[Se];ce.__webglColorRenderbuffer[Se]=i.createRenderbuffer(),i.bindRenderbuffer(i.RENDERBUFFER,ce.__webglColorRenderbuffer[Se]);const Xe=r.convert(Ee.format,Ee.colorSpace),Te=r.convert(Ee.type),ke=y(Ee.internalFormat,Xe,Te,Ee.colorSpace,k.isXRRenderTarget===!0),Qe=Me(k);i.renderbufferStorageMultisample(i.RENDERBUFFER,Qe,ke,k.width,k.height),i.framebufferRenderbuffer(i.FRAMEBUFFER,i.COLOR_ATTACHMENT0+Se,i.RENDERBUFFER,ce.__webglColorRenderbuffer[Se])}i.bindRenderbuffer(i.RENDERBUFFER,null),k.depthBuffer&&(ce.__webglDepthRenderbuffer=i.createRenderbuffer(),K(ce.__webglDepthRenderbuffer,k,!0)),t.bindFramebuffer(i.FRAMEBUFFER,null)}}if(he){t.bindTexture(i.TEXTURE_CUBE_MAP,pe.__webglTexture),q(i.TEXTURE_CUBE_MAP,A);for(let Se=0;Se<6;Se++)if(A.mipmaps&&A.mipmaps.length>0)for(let Ee=0;Ee<A.mipmaps.length;Ee++)D(ce.__webglFramebuffer[Se][Ee],k,A,i.COLOR_ATTACHMENT0,i.TEXTURE_CUBE_MAP_POSITIVE_X+Se,Ee);else D(ce.__webglFramebuffer[Se],k,A,i.COLOR_ATTACHMENT0,i.TEXTURE_CUBE_MAP_POSITIVE_X+Se,0);p(A)&&d(i.TEXTURE_CUBE_MAP),t.unbindTexture()}else if(de){for(let Se=0,Ee=ve.length;Se<Ee;Se++){const Xe=ve[Se],Te=n.get(Xe);t.bindTexture(i.TEXTURE_2D,Te.__webglTexture),q(i.TEXTURE_2D,Xe),D(ce.__webglFramebuffer,k,Xe,i.COLOR_ATTACHMENT0+Se,i.TEXTURE_2D,0),p(Xe)&&d(i.TEXTURE_2D)}t.unbindTexture()}else{let Se=i.TEXTURE_2D;if((k.isWebGL3DRenderTarget||k.isWebGLArrayRenderTarget)&&(Se=k.isWebGL3DRenderTarget?i.TEXTURE_3D:i.TEXTURE_2D_ARRAY),t.bindTexture(Se,pe.__webglTexture),q(Se,A),A.mipmaps&&A.mipmaps.length>0)for(let Ee=0;Ee<A.mipmaps.length;Ee++)D(ce.__webglFramebuffer[Ee],k,A,i.COLOR_ATTACHMENT0,Se,Ee);else D(ce.__webglFramebuffer,k,A,i.COLOR_ATTACHMENT0,Se,0);p(A)&&d(Se),t.unbindTexture()}k.depthBuffer&&B(k)}function F(k){const A=k.textures;for(let ce=0,pe=A.length;ce<pe;ce++){const ve=A[ce];if(p(ve)){const he=k.isWebGLCubeRenderTarget?i.TEXTURE_CUBE_MAP:i.TEXTURE_2D,de=n.get(ve).__webglTexture;t.bindTexture(he,de),d(he),t.unbindTexture()}}}const _e=[],xe=[];function be(k){if(k.samples>0){if(Ce(k)===!1){const A=k.textures,ce=k.width,pe=k.height;let ve=i.COLOR_BUFFER_BIT;const he=k.stencilBuffer?i.DEPTH_STENCIL_ATTACHMENT:i.DEPTH_ATTACHMENT,de=n.get(k),Se=A.length>1;if(Se)for(let Ee=0;Ee<A.length;Ee++)t.bindFramebuffer(i.FRAMEBUFFER,de.__webglMultisampledFramebuffer),i.framebufferRenderbuffer(i.FRAMEBUFFER,i.COLOR_ATTACHMENT0+Ee,i.RENDERBUFFER,null),t.bindFramebuffer(i.FRAMEBUFFER,de.__webglFramebuffer),i.framebufferTexture2D(i.DRAW_FRAMEBUFFER,i.COLOR_ATTACHMENT0+Ee,i.TEXTURE_2D,null,0);t.bindFramebuffer(i.READ_FRAMEBUFFER,de.__webglMultisampledFramebuffer),t.bindFramebuffer(i.DRAW_FRAMEBUFFER,de.__webglFramebuffer);for(let Ee=0;Ee<A.length;Ee++){if(k.resolveDepthBuffer&&(k.depthBuffer&&(ve|=i.DEPTH_BUFFER_BIT),k.stencilBuffer&&k.resolveStencilBuffer&&(ve|=i.STENCIL_BUFFER_BIT)),Se){i.framebufferRenderbuffer(i.READ_FRAMEBUFFER,i.COLOR_ATTACHMENT0,i.RENDERBUFFER,de.__webglColorRenderbuffer[Ee]);const Xe=n.get(A[Ee]).__webglTexture;i.framebufferTexture2D(i.DRAW_FRAMEBUFFER,i.COLOR_ATTACHMENT0,i.TEXTURE_2D,Xe,0)}i.blitFramebuffer(0,0,ce,pe,0,0,ce,pe,ve,i.NEAREST),l===!0&&(_e.length=0,xe.length=0,_e.push(i.COLOR_ATTACHMENT0+Ee),k.depthBuffer&&k.resolveDepthBuffer===!1&&(_e.push(he),xe.push(he),i.invalidateFramebuffer(i.DRAW_FRAMEBUFFER,xe)),i.invalidateFramebuffer(i.READ_FRAMEBUFFER,_e))}if(t.bindFramebuffer(i.READ_FRAMEBUFFER,null),t.bindFramebuffer(i.DRAW_FRAMEBUFFER,null),Se)for(let Ee=0;Ee<A.length;Ee++){t.bindFramebuffer(i.FRAMEBUFFER,de.__webglMultisampledFramebuffer),i.framebufferRenderbuffer(i.FRAMEBUFFER,i.COLOR_ATTACHMENT0+Ee,i.RENDERBUFFER,de.__webglColorRenderbuffer[Ee]);const Xe=n.get(A[Ee]).__webglTexture;t.bindFramebuffer(i.FRAMEBUFFER,de.__webglFramebuffer),i.framebufferTexture2D(i.DRAW_FRAMEBUFFER,i.COLOR_ATTACHMENT0+Ee,i.TEXTURE_2D,Xe,0)}t.bindFramebuffer(i.DRAW_FRAMEBUFFER,de.__webglMultisampledFramebuffer)}else if(k.depthBuffer&&k.resolveDepthBuffer===!1&&l){const A=k.stencilBuffer?i.DEPTH_STENCIL_ATTACHMENT:i.DEPTH_ATTACHMENT;i.invalidateFramebuffer(i.DRAW_FRAMEBUFFER,[A])}}}function Me(k){return Math.min(s.maxSamples,k.samples)}function Ce(k){const A=n.get(k);return k.samples>0&&e.has("WEBGL_multisampled_render_to_texture")===!0&&A.__useRenderToTexture!==!1}function Ie(k){const A=o.render.frame;u.get(k)!==A&&(u.set(k,A),k.update())}function Ke(k,A){const ce=k.colorSpace,pe=k.format,ve=k.type;return k.isCompressedTexture===!0||k.isVideoTexture===!0||ce!==ki&&ce!==Ji&&(vt.getTransfer(ce)===Pt?(pe!==Mi||ve!==is)&&console.warn("THREE.WebGLTextures: sRGB encoded textures have to use RGBAFormat and UnsignedByteType."):console.error("THREE.WebGLTextures: Unsupported texture color space:",ce)),A}function pt(k){return typeof HTMLImageElement<"u"&&k instanceof HTMLImageElement?(c.width=k.naturalWidth||k.width,c.height=k.naturalHeight||k.height):typeof VideoFrame<"u"&&k instanceof VideoFrame?(c.width=k.displayWidth,c.height=k.displayHeight):(c.width=k.width,c.height=k.height),c}this.allocateTextureUnit=U,this.resetTextureUnits=M,this.setTexture2D=N,this.setTexture2DArray=Z,this.setTexture3D=X,this.setTextureCube=se,this.rebindTextures=Q,this.setupRenderTarget=j,this.updateRenderTargetMipmap=F,this.updateMultisampleRenderTarget=be,this.setupDepthRenderbuffer=B,this.setupFrameBufferTexture=D,this.useMultisampledRTT=Ce}function Jx(i,e){function t(n,s=Ji){let r;const o=vt.getTransfer(s);if(n===is)return i.UNSIGNED_BYTE;if(n===Xf)return i.UNSIGNED_SHORT_4_4_4_4;if(n===$f)return i.UNSIGNED_SHORT_5_5_5_1;if(n===Lm)return i.UNSIGNED_INT_5_9_9_9_REV;if(n===Cm)return i.BYTE;if(n===Pm)return i.SHORT;if(n===Gf)return i.UNSIGNED_SHORT;if(n===Wf)return i.INT;if(n===xr)return i.UNSIGNED_INT;if(n===Qi)return i.FLOAT;if(n===ca)return i.HALF_FLOAT;if(n===Dm)return i.ALPHA;if(n===Um)return i.RGB;if(n===Mi)return i.RGBA;if(n===Im)return i.LUMINANCE;if(n===Nm)return i.LUMINANCE_ALPHA;if(n===dr)return i.DEPTH_COMPONENT;if(n===Jr)return i.DEPTH_STENCIL;if(n===Om)return i.RED;if(n===Yf)return i.RED_INTEGER;if(n===Fm)return i.RG;if(n===qf)return i.RG_INTEGER;if(n===jf)return i.RGBA_INTEGER;if(n===Ha||n===Va||n===Ga||n===Wa)if(o===Pt)if(r=e.get("WEBGL_compressed_texture_s3tc_srgb"),r!==null){if(n===Ha)return r.COMPRESSED_SRGB_S3TC_DXT1_EXT;if(n===Va)return r.COMPRESSED_SRGB_ALPHA_S3TC_DXT1_EXT;if(n===Ga)return r.COMPRESSED_SRGB_ALPHA_S3TC_DXT3_EXT;if(n===Wa)return r.COMPRESSED_SRGB_ALPHA_S3TC_DXT5_EXT}else return null;else if(r=e.get("WEBGL_compressed_texture_s3tc"),r!==null){if(n===Ha)return r.COMPRESSED_RGB_S3TC_DXT1_EXT;if(n===Va)return r.COMPRESSED_RGBA_S3TC_DXT1_EXT;if(n===Ga)return r.COMPRESSED_RGBA_S3TC_DXT3_EXT;if(n===Wa)return r.COMPRESSED_RGBA_S3TC_DXT5_EXT}else return null;if(n===nu||n===iu||n===su||n===ru)if(r=e.get("WEBGL_compressed_texture_pvrtc"),r!==null){if(n===nu)return r.COMPRESSED_RGB_PVRTC_4BPPV1_IMG;if(n===iu)return r.COMPRESSED_RGB_PVRTC_2BPPV1_IMG;if(n===su)return r.COMPRESSED_RGBA_PVRTC_4BPPV1_IMG;if(n===ru)return r.COMPRESSED_RGBA_PVRTC_2BPPV1_IMG}else return null;if(n===ou||n===au||n===lu)if(r=e.get("WEBGL_compressed_texture_etc"),r!==null){if(n===ou||n===au)return o===Pt?r.COMPRESSED_SRGB8_ETC2:r.COMPRESSED_RGB8_ETC2;if(n===lu)return o===Pt?r.COMPRESSED_SRGB8_ALPHA8_ETC2_EAC:r.COMPRESSED_RGBA8_ETC2_EAC}else return null;if(n===cu||n===uu||n===hu||n===fu||n===du||n===pu||n===mu||n===gu||n===_u||n===vu||n===xu||n===Mu||n===Su||n===yu)if(r=e.get("WEBGL_compressed_texture_astc"),r!==null){if(n===cu)return o===Pt?r.COMPRESSED_SRGB8_ALPHA8_ASTC_4x4_KHR:r.COMPRESSED_RGBA_ASTC_4x4_KHR;if(n===uu)return o===Pt?r.COMPRESSED_SRGB8_ALPHA8_ASTC_5x4_KHR:r.COMPRESSED_RGBA_ASTC_5x4_KHR;if(n===hu)return o===Pt?r.COMPRESSED_SRGB8_ALPHA8_ASTC_5x5_KHR:r.COMPRESSED_RGBA_ASTC_5x5_KHR;if(n===fu)return o===Pt?r.COMPRESSED_SRGB8_ALPHA8_ASTC_6x5_KHR:r.COMPRESSED_RGBA_ASTC_6x5_KHR;if(n===du)return o===Pt?r.COMPRESSED_SRGB8_ALPHA8_ASTC_6x6_KHR:r.COMPRESSED_RGBA_ASTC_6x6_KHR;if(n===pu)return o===Pt?r.COMPRESSED_SRGB8_ALPHA8_ASTC_8x5_KHR:r.COMPRESSED_RGBA_ASTC_8x5_KHR;if(n===mu)return o===Pt?r.COMPRESSED_SRGB8_ALPHA8_ASTC_8x6_KHR:r.COMPRESSED_RGBA_ASTC_8x6_KHR;if(n===gu)return o===Pt?r.COMPRESSED_SRGB8_ALPHA8_ASTC_8x8_KHR:r.COMPRESSED_RGBA_ASTC_8x8_KHR;if(n===_u)return o===Pt?r.COMPRESSED_SRGB8_ALPHA8_ASTC_10x5_KHR:r.COMPRESSED_RGBA_ASTC_10x5_KHR;if(n===vu)return o===Pt?r.COMPRESSED_SRGB8_ALPHA8_ASTC_10x6_KHR:r.COMPRESSED_RGBA_ASTC_10x6_KHR;if(n===xu)return o===Pt?r.COMPRESSED_SRGB8_ALPHA8_ASTC_10x8_KHR:r.COMPRESSED_RGBA_ASTC_10x8_KHR;if(n===Mu)return o===Pt?r.COMPRESSED_SRGB8_ALPHA8_ASTC_10x10_KHR:r.COMPRESSED_RGBA_ASTC_10x10_KHR;if(n===Su)return o===Pt?r.COMPRESSED_SRGB8_ALPHA8_ASTC_12x10_KHR:r.COMPRESSED_RGBA_ASTC_12x10_KHR;if(n===yu)return o===Pt?r.COMPRESSED_SRGB8_ALPHA8_ASTC_12x12_KHR:r.COMPRESSED_RGBA_ASTC_12x12_KHR}else return null;if(n===Xa||n===Eu||n===bu)if(r=e.get("EXT_texture_compression_bptc"),r!==null){if(n===Xa)return o===Pt?r.COMPRESSED_SRGB_ALPHA_BPTC_UNORM_EXT:r.COMPRESSED_RGBA_BPTC_UNORM_EXT;if(n===Eu)return r.COMPRESSED_RGB_BPTC_SIGNED_FLOAT_EXT;if(n===bu)return r.COMPRESSED_RGB_BPTC_UNSIGNED_FLOAT_EXT}else return null;if(n===km||n===wu||n===Tu||n===Au)if(r=e.get("EXT_texture_compression_rgtc"),r!==null){if(n===Xa)return r.COMPRESSED_RED_RGTC1_EXT;if(n===wu)return r.COMPRESSED_SIGNED_RED_RGTC1_EXT;if(n===Tu)return r.COMPRESSED_RED_GREEN_RGTC2_EXT;if(n===Au)return r.COMPRESSED_SIGNED_RED_GREEN_RGTC2_EXT}else return null;return n===io?i.UNSIGNED_INT_24_8:i[n]!==void 0?i[n]:null}return{convert:t}}class Qx extends jn{constructor(e=[]){super(),this.isArrayCamera=!0,this.cameras=e}}class hr extends Bn{constructor(){super(),this.isGroup=!0,this.type="Group"}}const eM={type:"move"};class _l{constructor(){this._targetRay=null,this._grip=null,this._hand=null}getHandSpace(){return this._hand===null&&(this._hand=new hr,this._hand.matrixAutoUpdate=!1,this._hand.visible=!1,this._hand.joints={},this._hand.inputState={pinching:!1}),this._hand}getTargetRaySpace(){return this._targetRay===null&&(this._targetRay=new hr,this._targetRay.matrixAutoUpdate=!1,this._targetRay.visible=!1,this._targetRay.hasLinearVelocity=!1,this._targetRay.linearVelocity=new $,this._targetRay.hasAngularVelocity=!1,this._targetRay.angularVelocity=new $),this._targetRay}getGripSpace(){return this._grip===null&&(this._grip=new hr,this._grip.matrixAutoUpdate=!1,this._grip.visible=!1,this._grip.hasLinearVelocity=!1,this._grip.linearVelocity=new $,this._grip.hasAngularVelocity=!1,this._grip.angularVelocity=new $),this._grip}dispatchEvent(e){return this._targetRay!==null&&this._targetRay.dispatchEvent(e),this._grip!==null&&this._grip.dispatchEvent(e),this._hand!==null&&this._hand.dispatchEvent(e),this}connect(e){if(e&&e.hand){const t=this._hand;if(t)for(const n of e.hand.values())this._getHandJoint(t,n)}return this.dispatchEvent({type:"connected",data:e}),this}disconnect(e){return this.dispatchEvent({type:"disconnected",data:e}),this._targetRay!==null&&(this._targetRay.visible=!1),this._grip!==null&&(this._grip.visible=!1),this._hand!==null&&(this._hand.visible=!1),this}update(e,t,n){let s=null,r=null,o=null;const a=this._targetRay,l=this._grip,c=this._hand;if(e&&t.session.visibilityState!=="visible-blurred"){if(c&&e.hand){o=!0;for(const v of e.hand.values()){const p=t.getJointPose(v,n),d=this._getHandJoint(c,v);p!==null&&(d.matrix.fromArray(p.transform.matrix),d.matrix.decompose(d.position,d.rotation,d.scale),d.matrixWorldNeedsUpdate=!0,d.jointRadius=p.radius),d.visible=p!==null}const u=c.joints["index-finger-tip"],h=c.joints["thumb-tip"],f=u.position.distanceTo(h.position),m=.02,_=.005;c.inputState.pinching&&f>m+_?(c.inputState.pinching=!1,this.dispatchEvent({type:"pinchend",handedness:e.handedness,target:this})):!c.inputState.pinching&&f<=m-_&&(c.inputState.pinching=!0,this.dispatchEvent({type:"pinchstart",handedness:e.handedness,target:this}))}else l!==null&&e.gripSpace&&(r=t.getPose(e.gripSpace,n),r!==null&&(l.matrix.fromArray(r.transform.matrix),l.matrix.decompose(l.position,l.rotation,l.scale),l.matrixWorldNeedsUpdate=!0,r.linearVelocity?(l.hasLinearVelocity=!0,l.linearVelocity.copy(r.linearVelocity)):l.hasLinearVelocity=!1,r.angularVelocity?(l.hasAngularVelocity=!0,l.angularVelocity.copy(r.angularVelocity)):l.hasAngularVelocity=!1));a!==null&&(s=t.getPose(e.targetRaySpace,n),s===null&&r!==null&&(s=r),s!==null&&(a.matrix.fromArray(s.transform.matrix),a.matrix.decompose(a.position,a.rotation,a.scale),a.matrixWorldNeedsUpdate=!0,s.linearVelocity?(a.hasLinearVelocity=!0,a.linearVelocity.copy(s.linearVelocity)):a.hasLinearVelocity=!1,s.angularVelocity?(a.hasAngularVelocity=!0,a.angularVelocity.copy(s.angularVelocity)):a.hasAngularVelocity=!1,this.dispatchEvent(eM)))}return a!==null&&(a.visible=s!==null),l!==null&&(l.visible=r!==null),c!==null&&(c.visible=o!==null),this}_getHandJoint(e,t){if(e.joints[t.jointName]===void 0){const n=new hr;n.matrixAutoUpdate=!1,n.visible=!1,e.joints[t.jointName]=n,e.add(n)}return e.joints[t.jointName]}}const tM=`
void main() {

	gl_Position = vec4( position, 1.0 );

}`,nM=`
uniform sampler2DArray depthColor;
uniform float depthWidth;
uniform float depthHeight;

void main() {

	vec2 coord = vec2( gl_FragCoord.x / depthWidth, gl_FragCoord.y / depthHeight );

	if ( coord.x >= 1.0 ) {

		gl_FragDepth = texture( depthColor, vec3( coord.x - 1.0, coord.y, 1 ) ).r;

	} else {

		gl_FragDepth = texture( depthColor, vec3( coord.x, coord.y, 0 ) ).r;

	}

}`;class iM{constructor(){this.texture=null,this.mesh=null,this.depthNear=0,this.depthFar=0}init(e,t,n){if(this.texture===null){const s=new yn,r=e.properties.get(s);r.__webglTexture=t.texture,(t.depthNear!=n.depthNear||t.depthFar!=n.depthFar)&&(this.depthNear=t.depthNear,this.depthFar=t.depthFar),this.texture=s}}render(e,t){if(this.texture!==null){if(this.mesh===null){const n=t.cameras[0].viewport,s=new yi({vertexShader:tM,fragmentShader:nM,uniforms:{depthColor:{value:this.texture},depthWidth:{value:n.z},depthHeight:{value:n.w}}});this.mesh=new Rn(new fa(20,20),s)}e.render(this.mesh,t)}}reset(){this.texture=null,this.mesh=null}}class sM extends Cs{constructor(e,t){super();const n=this;let s=null,r=1,o=null,a="local-floor",l=1,c=null,u=null,h=null,f=null,m=null,_=null;const v=new iM,p=t.getContextAttributes();let d=null,y=null;const x=[],b=[],H=new ze;let T=null;const R=new jn;R.layers.enable(1),R.viewport=new un;const z=new jn;z.layers.enable(2),z.viewport=new un;const w=[R,z],M=new Qx;M.layers.enable(1),M.layers.enable(2);let U=null,G=null;this.cameraAutoUpdate=!0,this.enabled=!1,this.isPresenting=!1,this.getController=function(D){let K=x[D];return K===void 0&&(K=new _l,x[D]=K),K.getTargetRaySpace()},this.getControllerGrip=function(D){let K=x[D];return K===void 0&&(K=new _l,x[D]=K),K.getGripSpace()},this.getHand=function(D){let K=x[D];return K===void 0&&(K=new _l,x[D]=K),K.getHandSpace()};function N(D){const K=b.indexOf(D.inputSource);if(K===-1)return;const ae=x[K];ae!==void 0&&(ae.update(D.inputSource,D.frame,c||o),ae.dispatchEvent({type:D.type,data:D.inputSource}))}function Z(){s.removeEventListener("select",N),s.removeEventListener("selectstart",N),s.removeEventListener("selectend",N),s.removeEventListener("squeeze",N),s.removeEventListener("squeezestart",N),s.removeEventListener("squeezeend",N),s.removeEventListener("end",Z),s.removeEventListener("inputsourceschange",X);for(let D=0;D<x.length;D++){const K=b[D];K!==null&&(b[D]=null,x[D].disconnect(K))}U=null,G=null,v.reset(),e.setRenderTarget(d),m=null,f=null,h=null,s=null,y=null,V.stop(),n.isPresenting=!1,e.setPixelRatio(T),e.setSize(H.width,H.height,!1),n.dispatchEvent({type:"sessionend"})}this.setFramebufferScaleFactor=function(D){r=D,n.isPresenting===!0&&console.warn("THREE.WebXRManager: Cannot change framebuffer scale while presenting.")},this.setReferenceSpaceType=function(D){a=D,n.isPresenting===!0&&console.warn("THREE.WebXRManager: Cannot change reference space type while presenting.")},this.getReferenceSpace=function(){return c||o},this.setReferenceSpace=function(D){c=D},this.getBaseLayer=function(){return f!==null?f:m},this.getBinding=function(){return h},this.getFrame=function(){return _},this.getSession=function(){return s},this.setSession=async function(D){if(s=D,s!==null){if(d=e.getRenderTarget(),s.addEventListener("select",N),s.addEventListener("selectstart",N),s.addEventListener("selectend",N),s.addEventListener("squeeze",N),s.addEventListener("squeezestart",N),s.addEventListener("squeezeend",N),s.addEventListener("end",Z),s.addEventListener("inputsourceschange",X),p.xrCompatible!==!0&&await t.makeXRCompatible(),T=e.getPixelRatio(),e.getSize(H),s.renderState.layers===void 0){const K={antialias:p.antialias,alpha:!0,depth:p.depth,stencil:p.stencil,framebufferScaleFactor:r};m=new XRWebGLLayer(s,t,K),s.updateRenderState({baseLayer:m}),e.setPixelRatio(1),e.setSize(m.framebufferWidth,m.framebufferHeight,!1),y=new Ts(m.framebufferWidth,m.framebufferHeight,{format:Mi,type:is,colorSpace:e.outputColorSpace,stencilBuffer:p.stencil})}else{let K=null,ae=null,B=null;p.depth&&(B=p.stencil?t.DEPTH24_STENCIL8:t.DEPTH_COMPONENT24,K=p.stencil?Jr:dr,ae=p.stencil?io:xr);const Q={colorFormat:t.RGBA8,depthFormat:B,scaleFactor:r};h=new XRWebGLBinding(s,t),f=h.createProjectionLayer(Q),s.updateRenderState({layers:[f]}),e.setPixelRatio(1),e.setSize(f.textureWidth,f.textureHeight,!1),y=new Ts(f.textureWidth,f.textureHeight,{format:Mi,type:is,depthTexture:new ld(f.textureWidth,f.textureHeight,ae,void 0,void 0,void 0,void 0,void 0,void 0,K),stencilBuffer:p.stencil,colorSpace:e.outputColorSpace,samples:p.antialias?4:0,resolveDepthBuffer:f.ignoreDepthValues===!1})}y.isXRRenderTarget=!0,this.setFoveation(l),c=null,o=await s.requestReferenceSpace(a),V.setContext(s),V.start(),n.isPresenting=!0,n.dispatchEvent({type:"sessionstart"})}},this.getEnvironmentBlendMode=function(){if(s!==null)return s.environmentBlendMode};function X(D){for(let K=0;K<D.removed.length;K++){const ae=D.removed[K],B=b.indexOf(ae);B>=0&&(b[B]=null,x[B].disconnect(ae))}for(let K=0;K<D.added.length;K++){const ae=D.added[K];let B=b.indexOf(ae);if(B===-1){for(let j=0;j<x.length;j++)if(j>=b.length){b.push(ae),B=j;break}else if(b[j]===null){b[j]=ae,B=j;break}if(B===-1)break}const Q=x[B];Q&&Q.connect(ae)}}const se=new $,te=new $;function ne(D,K,ae){se.setFromMatrixPosition(K.matrixWorld),te.setFromMatrixPosition(ae.matrixWorld);const B=se.distanceTo(te),Q=K.projectionMatrix.elements,j=ae.projectionMatrix.elements,F=Q[14]/(Q[10]-1),_e=Q[14]/(Q[10]+1),xe=(Q[9]+1)/Q[5],be=(Q[9]-1)/Q[5],Me=(Q[8]-1)/Q[0],Ce=(j[8]+1)/j[0],Ie=F*Me,Ke=F*Ce,pt=B/(-Me+Ce),k=pt*-Me;K.matrixWorld.decompose(D.position,D.quaternion,D.scale),D.translateX(k),D.translateZ(pt),D.matrixWorld.compose(D.position,D.quaternion,D.scale),D.matrixWorldInverse.copy(D.matrixWorld).invert();const A=F+pt,ce=_e+pt,pe=Ie-k,ve=Ke+(B-k),he=xe*_e/ce*A,de=be*_e/ce*A;D.projectionMatrix.makePerspective(pe,ve,he,de,A,ce),D.projectionMatrixInverse.copy(D.projectionMatrix).invert()}function Y(D,K){K===null?D.matrixWorld.copy(D.matrix):D.matrixWorld.multiplyMatrices(K.matrixWorld,D.matrix),D.matrixWorldInverse.copy(D.matrixWorld).invert()}this.updateCamera=function(D){if(s===null)return;v.texture!==null&&(D.near=v.depthNear,D.far=v.depthFar),M.near=z.near=R.near=D.near,M.far=z.far=R.far=D.far,(U!==M.near||G!==M.far)&&(s.updateRenderState({depthNear:M.near,depthFar:M.far}),U=M.near,G=M.far,R.near=U,R.far=G,z.near=U,z.far=G,R.updateProjectionMatrix(),z.updateProjectionMatrix(),D.updateProjectionMatrix());const K=D.parent,ae=M.cameras;Y(M,K);for(let B=0;B<ae.length;B++)Y(ae[B],K);ae.length===2?ne(M,R,z):M.projectionMatrix.copy(R.projectionMatrix),q(D,M,K)};function q(D,K,ae){ae===null?D.matrix.copy(K.matrixWorld):(D.matrix.copy(ae.matrixWorld),D.matrix.invert(),D.matrix.multiply(K.matrixWorld)),D.matrix.decompose(D.position,D.quaternion,D.scale),D.updateMatrixWorld(!0),D.projectionMatrix.copy(K.projectionMatrix),D.projectionMatrixInverse.copy(K.projectionMatrixInverse),D.isPerspectiveCamera&&(D.fov=zl*2*Math.atan(1/D.projectionMatrix.elements[5]),D.zoom=1)}this.getCamera=function(){return M},this.getFoveation=function(){if(!(f===null&&m===null))return l},this.setFoveation=function(D){l=D,f!==null&&(f.fixedFoveation=D),m!==null&&m.fixedFoveation!==void 0&&(m.fixedFoveation=D)},this.hasDepthSensing=function(){return v.texture!==null};let fe=null;function P(D,K){if(u=K.getViewerPose(c||o),_=K,u!==null){const ae=u.views;m!==null&&(e.setRenderTargetFramebuffer(y,m.framebuffer),e.setRenderTarget(y));let B=!1;ae.length!==M.cameras.length&&(M.cameras.length=0,B=!0);for(let j=0;j<ae.length;j++){const F=ae[j];let _e=null;if(m!==null)_e=m.getViewport(F);else{const be=h.getViewSubImage(f,F);_e=be.viewport,j===0&&(e.setRenderTargetTextures(y,be.colorTexture,f.ignoreDepthValues?void 0:be.depthStencilTexture),e.setRenderTarget(y))}let xe=w[j];xe===void 0&&(xe=new jn,xe.layers.enable(j),xe.viewport=new un,w[j]=xe),xe.matrix.fromArray(F.transform.matrix),xe.matrix.decompose(xe.position,xe.quaternion,xe.scale),xe.projectionMatrix.fromArray(F.projectionMatrix),xe.projectionMatrixInverse.copy(xe.projectionMatrix).invert(),xe.viewport.set(_e.x,_e.y,_e.width,_e.height),j===0&&(M.matrix.copy(xe.matrix),M.matrix.decompose(M.position,M.quaternion,M.scale)),B===!0&&M.cameras.push(xe)}const Q=s.enabledFeatures;if(Q&&Q.includes("depth-sensing")){const j=h.getDepthInformation(ae[0]);j&&j.isValid&&j.texture&&v.init(e,j,s.renderState)}}for(let ae=0;ae<x.length;ae++){const B=b[ae],Q=x[ae];B!==null&&Q!==void 0&&Q.update(B,K,c||o)}v.render(e,M),fe&&fe(D,K),K.detectedPlanes&&n.dispatchEvent({type:"planesdetected",data:K}),_=null}const V=new ad;V.setAnimationLoop(P),this.setAnimationLoop=function(D){fe=D},this.dispose=function(){}}}const ds=new Fi,rM=new Bt;function oM(i,e){function t(p,d){p.matrixAutoUpdate===!0&&p.updateMatrix(),d.value.copy(p.matrix)}function n(p,d){d.color.getRGB(p.fogColor.value,id(i)),d.isFog?(p.fogNear.value=d.near,p.fogFar.value=d.far):d.isFogExp2&&(p.fogDensity.value=d.density)}function s(p,d,y,x,b){d.isMeshBasicMaterial||d.isMeshLambertMaterial?r(p,d):d.isMeshToonMaterial?(r(p,d),h(p,d)):d.isMeshPhongMaterial?(r(p,d),u(p,d)):d.isMeshStandardMaterial?(r(p,d),f(p,d),d.isMeshPhysicalMaterial&&m(p,d,b)):d.isMeshMatcapMaterial?(r(p,d),_(p,d)):d.isMeshDepthMaterial?r(p,d):d.isMeshDistanceMaterial?(r(p,d),v(p,d)):d.isMeshNormalMaterial?r(p,d):d.isLineBasicMaterial?(o(p,d),d.isLineDashedMaterial&&a(p,d)):d.isPointsMaterial?l(p,d,y,x):d.isSpriteMaterial?c(p,d):d.isShadowMaterial?(p.color.value.copy(d.color),p.opacity.value=d.opacity):d.isShaderMaterial&&(d.uniformsNeedUpdate=!1)}function r(p,d){p.opacity.value=d.opacity,d.color&&p.diffuse.value.copy(d.color),d.emissive&&p.emissive.value.copy(d.emissive).multiplyScalar(d.emissiveIntensity),d.map&&(p.map.value=d.map,t(d.map,p.mapTransform)),d.alphaMap&&(p.alphaMap.value=d.alphaMap,t(d.alphaMap,p.alphaMapTransform)),d.bumpMap&&(p.bumpMap.value=d.bumpMap,t(d.bumpMap,p.bumpMapTransform),p.bumpScale.value=d.bumpScale,d.side===Pn&&(p.bumpScale.value*=-1)),d.normalMap&&(p.normalMap.value=d.normalMap,t(d.normalMap,p.normalMapTransform),p.normalScale.value.copy(d.normalScale),d.side===Pn&&p.normalScale.value.negate()),d.displacementMap&&(p.displacementMap.value=d.displacementMap,t(d.displacementMap,p.displacementMapTransform),p.displacementScale.value=d.displacementScale,p.displacementBias.value=d.displacementBias),d.emissiveMap&&(p.emissiveMap.value=d.emissiveMap,t(d.emissiveMap,p.emissiveMapTransform)),d.specularMap&&(p.specularMap.value=d.specularMap,t(d.specularMap,p.specularMapTransform)),d.alphaTest>0&&(p.alphaTest.value=d.alphaTest);const y=e.get(d),x=y.envMap,b=y.envMapRotation;if(x&&(p.envMap.value=x,ds.copy(b),ds.x*=-1,ds.y*=-1,ds.z*=-1,x.isCubeTexture&&x.isRenderTargetTexture===!1&&(ds.y*=-1,ds.z*=-1),p.envMapRotation.value.setFromMatrix4(rM.makeRotationFromEuler(ds)),p.flipEnvMap.value=x.isCubeTexture&&x.isRenderTargetTexture===!1?-1:1,p.reflectivity.value=d.reflectivity,p.ior.value=d.ior,p.refractionRatio.value=d.refractionRatio),d.lightMap){p.lightMap.value=d.lightMap;const H=i._useLegacyLights===!0?Math.PI:1;p.lightMapIntensity.value=d.lightMapIntensity*H,t(d.lightMap,p.lightMapTransform)}d.aoMap&&(p.aoMap.value=d.aoMap,p.aoMapIntensity.value=d.aoMapIntensity,t(d.aoMap,p.aoMapTransform))}function o(p,d){p.diffuse.value.copy(d.color),p.opacity.value=d.opacity,d.map&&(p.map.value=d.map,t(d.map,p.mapTransform))}function a(p,d){p.dashSize.value=d.dashSize,p.totalSize.value=d.dashSize+d.gapSize,p.scale.value=d.scale}function l(p,d,y,x){p.diffuse.value.copy(d.color),p.opacity.value=d.opacity,p.size.value=d.size*y,p.scale.value=x*.5,d.map&&(p.map.value=d.map,t(d.map,p.uvTransform)),d.alphaMap&&(p.alphaMap.value=d.alphaMap,t(d.alphaMap,p.alphaMapTransform)),d.alphaTest>0&&(p.alphaTest.value=d.alphaTest)}function c(p,d){p.diffuse.value.copy(d.color),p.opacity.value=d.opacity,p.rotation.value=d.rotation,d.map&&(p.map.value=d.map,t(d.map,p.mapTransform)),d.alphaMap&&(p.alphaMap.value=d.alphaMap,t(d.alphaMap,p.alphaMapTransform)),d.alphaTest>0&&(p.alphaTest.value=d.alphaTest)}function u(p,d){p.specular.value.copy(d.specular),p.shininess.value=Math.max(d.shininess,1e-4)}function h(p,d){d.gradientMap&&(p.gradientMap.value=d.gradientMap)}function f(p,d){p.metalness.value=d.metalness,d.metalnessMap&&(p.metalnessMap.value=d.metalnessMap,t(d.metalnessMap,p.metalnessMapTransform)),p.roughness.value=d.roughness,d.roughnessMap&&(p.roughnessMap.value=d.roughnessMap,t(d.roughnessMap,p.roughnessMapTransform)),d.envMap&&(p.envMapIntensity.value=d.envMapIntensity)}function m(p,d,y){p.ior.value=d.ior,d.sheen>0&&(p.sheenColor.value.copy(d.sheenColor).multiplyScalar(d.sheen),p.sheenRoughness.value=d.sheenRoughness,d.sheenColorMap&&(p.sheenColorMap.value=d.sheenColorMap,t(d.sheenColorMap,p.sheenColorMapTransform)),d.sheenRoughnessMap&&(p.sheenRoughnessMap.value=d.sheenRoughnessMap,t(d.sheenRoughnessMap,p.sheenRoughnessMapTransform))),d.clearcoat>0&&(p.clearcoat.value=d.clearcoat,p.clearcoatRoughness.value=d.clearcoatRoughness,d.clearcoatMap&&(p.clearcoatMap.value=d.clearcoatMap,t(d.clearcoatMap,p.clearcoatMapTransform)),d.clearcoatRoughnessMap&&(p.clearcoatRoughnessMap.value=d.clearcoatRoughnessMap,t(d.clearcoatRoughnessMap,p.clearcoatRoughnessMapTransform)),d.clearcoatNormalMap&&(p.clearcoatNormalMap.value=d.clearcoatNormalMap,t(d.clearcoatNormalMap,p.clearcoatNormalMapTransform),p.clearcoatNormalScale.value.copy(d.clearcoatNormalScale),d.side===Pn&&p.clearcoatNormalScale.value.negate())),d.dispersion>0&&(p.dispersion.value=d.dispersion),d.iridescence>0&&(p.iridescence.value=d.iridescence,p.iridescenceIOR.value=d.iridescenceIOR,p.iridescenceThicknessMinimum.value=d.iridescenceThicknessRange[0],p.iridescenceThicknessMaximum.value=d.iridescenceThicknessRange[1],d.iridescenceMap&&(p.iridescenceMap.value=d.iridescenceMap,t(d.iridescenceMap,p.iridescenceMapTransform)),d.iridescenceThicknessMap&&(p.iridescenceThicknessMap.value=d.iridescenceThicknessMap,t(d.iridescenceThicknessMap,p.iridescenceThicknessMapTransform))),d.transmission>0&&(p.transmission.value=d.transmission,p.transmissionSamplerMap.value=y.texture,p.transmissionSamplerSize.value.set(y.width,y.height),d.transmissionMap&&(p.transmissionMap.value=d.transmissionMap,t(d.transmissionMap,p.transmissionMapTransform)),p.thickness.value=d.thickness,d.thicknessMap&&(p.thicknessMap.value=d.thicknessMap,t(d.thicknessMap,p.thicknessMapTransform)),p.attenuationDistance.value=d.attenuationDistance,p.attenuationColor.value.copy(d.attenuationColor)),d.anisotropy>0&&(p.anisotropyVector.value.set(d.anisotropy*Math.cos(d.anisotropyRotation),d.anisotropy*Math.sin(d.anisotropyRotation)),d.anisotropyMap&&(p.anisotropyMap.value=d.anisotropyMap,t(d.anisotropyMap,p.anisotropyMapTransform))),p.specularIntensity.value=d.specularIntensity,p.specularColor.value.copy(d.specularColor),d.specularColorMap&&(p.specularColorMap.value=d.specularColorMap,t(d.specularColorMap,p.specularColorMapTransform)),d.specularIntensityMap&&(p.specularIntensityMap.value=d.specularIntensityMap,t(d.specularIntensityMap,p.specularIntensityMapTransform))}function _(p,d){d.matcap&&(p.matcap.value=d.matcap)}function v(p,d){const y=e.get(d).light;p.referencePosition.value.setFromMatrixPosition(y.matrixWorld),p.nearDistance.value=y.shadow.camera.near,p.farDistance.value=y.shadow.camera.far}return{refreshFogUniforms:n,refreshMaterialUniforms:s}}function aM(i,e,t,n){let s={},r={},o=[];const a=i.getParameter(i.MAX_UNIFORM_BUFFER_BINDINGS);function l(y,x){const b=x.program;n.uniformBlockBinding(y,b)}function c(y,x){let b=s[y.id];b===void 0&&(_(y),b=u(y),s[y.id]=b,y.addEventListener("dispose",p));const H=x.program;n.updateUBOMapping(y,H);const T=e.render.frame;r[y.id]!==T&&(f(y),r[y.id]=T)}function u(y){const x=h();y.__bindingPointIndex=x;const b=i.createBuffer(),H=y.__size,T=y.usage;return i.bindBuffer(i.UNIFORM_BUFFER,b),i.bufferData(i.UNIFORM_BUFFER,H,T),i.bindBuffer(i.UNIFORM_BUFFER,null),i.bindBufferBase(i.UNIFORM_BUFFER,x,b),b}function h(){for(let y=0;y<a;y++)if(o.indexOf(y)===-1)return o.push(y),y;return console.error("THREE.WebGLRenderer: Maximum number of simultaneously usable uniforms groups reached."),0}function f(y){const x=s[y.id],b=y.uniforms,H=y.__cache;i.bindBuffer(i.UNIFORM_BUFFER,x);for(let T=0,R=b.length;T<R;T++){const z=Array.isArray(b[T])?b[T]:[b[T]];for(let w=0,M=z.length;w<M;w++){const U=z[w];if(m(U,T,w,H)===!0){const G=U.__offset,N=Array.isArray(U.value)?U.value:[U.value];let Z=0;for(let X=0;X<N.length;X++){const se=N[X],te=v(se);typeof se=="number"||typeof se=="boolean"?(U.__data[0]=se,i.bufferSubData(i.UNIFORM_BUFFER,G+Z,U.__data)):se.isMatrix3?(U.__data[0]=se.elements[0],U.__data[1]=se.elements[1],U.__data[2]=se.elements[2],U.__data[3]=0,U.__data[4]=se.elements[3],U.__data[5]=se.elements[4],U.__data[6]=se.elements[5],U.__data[7]=0,U.__data[8]=se.elements[6],U.__data[9]=se.elements[7],U.__data[10]=se.elements[8],U.__data[11]=0):(se.toArray(U.__data,Z),Z+=te.storage/Float32Array.BYTES_PER_ELEMENT)}i.bufferSubData(i.UNIFORM_BUFFER,G,U.__data)}}}i.bindBuffer(i.UNIFORM_BUFFER,null)}function m(y,x,b,H){const T=y.value,R=x+"_"+b;if(H[R]===void 0)return typeof T=="number"||typeof T=="boolean"?H[R]=T:H[R]=T.clone(),!0;{const z=H[R];if(typeof T=="number"||typeof T=="boolean"){if(z!==T)return H[R]=T,!0}else if(z.equals(T)===!1)return z.copy(T),!0}return!1}function _(y){const x=y.uniforms;let b=0;const H=16;for(let R=0,z=x.length;R<z;R++){const w=Array.isArray(x[R])?x[R]:[x[R]];for(let M=0,U=w.length;M<U;M++){const G=w[M],N=Array.isArray(G.value)?G.value:[G.value];for(let Z=0,X=N.length;Z<X;Z++){const se=N[Z],te=v(se),ne=b%H;ne!==0&&H-ne<te.boundary&&(b+=H-ne),G.__data=new Float32Array(te.storage/Float32Array.BYTES_PER_ELEMENT),G.__offset=b,b+=te.storage}}}const T=b%H;return T>0&&(b+=H-T),y.__size=b,y.__cache={},this}function v(y){const x={boundary:0,storage:0};return typeof y=="number"||typeof y=="boolean"?(x.boundary=4,x.storage=4):y.isVector2?(x.boundary=8,x.storage=8):y.isVector3||y.isColor?(x.boundary=16,x.storage=12):y.isVector4?(x.boundary=16,x.storage=16):y.isMatrix3?(x.boundary=48,x.storage=48):y.isMatrix4?(x.boundary=64,x.storage=64):y.isTexture?console.warn("THREE.WebGLRenderer: Texture samplers can not be part of an uniforms group."):console.warn("THREE.WebGLRenderer: Unsupported uniform value type.",y),x}function p(y){const x=y.target;x.removeEventListener("dispose",p);const b=o.indexOf(x.__bindingPointIndex);o.splice(b,1),i.deleteBuffer(s[x.id]),delete s[x.id],delete r[x.id]}function d(){for(const y in s)i.deleteBuffer(s[y]);o=[],s={},r={}}return{bind:l,update:c,dispose:d}}class lM{constructor(e={}){const{canvas:t=Qm(),context:n=null,depth:s=!0,stencil:r=!1,alpha:o=!1,antialias:a=!1,premultipliedAlpha:l=!0,preserveDrawingBuffer:c=!1,powerPreference:u="default",failIfMajorPerformanceCaveat:h=!1}=e;this.isWebGLRenderer=!0;let f;if(n!==null){if(typeof WebGLRenderingContext<"u"&&n instanceof WebGLRenderingContext)throw new Error("THREE.WebGLRenderer: WebGL 1 is not supported since r163.");f=n.getContextAttributes().alpha}else f=o;const m=new Uint32Array(4),_=new Int32Array(4);let v=null,p=null;const d=[],y=[];this.domElement=t,this.debug={checkShaderErrors:!0,onShaderError:null},this.autoClear=!0,this.autoClearColor=!0,this.autoClearDepth=!0,this.autoClearStencil=!0,this.sortObjects=!0,this.clippingPlanes=[],this.localClippingEnabled=!1,this._outputColorSpace=gi,this._useLegacyLights=!1,this.toneMapping=ts,this.toneMappingExposure=1;const x=this;let b=!1,H=0,T=0,R=null,z=-1,w=null;const M=new un,U=new un;let G=null;const N=new St(0);let Z=0,X=t.width,se=t.height,te=1,ne=null,Y=null;const q=new un(0,0,X,se),fe=new un(0,0,X,se);let P=!1;const V=new od;let D=!1,K=!1;const ae=new Bt,B=new $,Q={background:null,fog:null,environment:null,overrideMaterial:null,isScene:!0};function j(){return R===null?te:1}let F=n;function _e(C,ee){return t.getContext(C,ee)}try{const C={alpha:!0,depth:s,stencil:r,antialias:a,premultipliedAlpha:l,preserveDrawingBuffer:c,powerPreference:u,failIfMajorPerformanceCaveat:h};if("setAttribute"in t&&t.setAttribute("data-engine",`three.js r${nc}`),t.addEventListener("webglcontextlost",S,!1),t.addEventListener("webglcontextrestored",J,!1),t.addEventListener("webglcontextcreationerror",re,!1),F===null){const ee="webgl2";if(F=_e(ee,C),F===null)throw _e(ee)?new Error("Error creating WebGL context with your selected attributes."):new Error("Error creating WebGL context.")}}catch(C){throw console.error("THREE.WebGLRenderer: "+C.message),C}let xe,be,Me,Ce,Ie,Ke,pt,k,A,ce,pe,ve,he,de,Se,Ee,Xe,Te,ke,Qe,Be,Pe,Ve,$e;function ht(){xe=new gv(F),xe.init(),Pe=new Jx(F,xe),be=new cv(F,xe,e,Pe),Me=new Kx(F),Ce=new xv(F),Ie=new Ox,Ke=new Zx(F,xe,Me,Ie,be,Pe,Ce),pt=new hv(x),k=new mv(x),A=new wg(F),Ve=new av(F,A),ce=new _v(F,A,Ce,Ve),pe=new Sv(F,ce,A,Ce),ke=new Mv(F,be,Ke),Ee=new uv(Ie),ve=new Nx(x,pt,k,xe,be,Ve,Ee),he=new oM(x,Ie),de=new kx,Se=new Wx(xe),Te=new ov(x,pt,k,Me,pe,f,l),Xe=new jx(x,pe,be),$e=new aM(F,Ce,be,Me),Qe=new lv(F,xe,Ce),Be=new vv(F,xe,Ce),Ce.programs=ve.programs,x.capabilities=be,x.extensions=xe,x.properties=Ie,x.renderLists=de,x.shadowMap=Xe,x.state=Me,x.info=Ce}ht();const Ze=new sM(x,F);this.xr=Ze,this.getContext=function(){return F},this.getContextAttributes=function(){return F.getContextAttributes()},this.forceContextLoss=function(){const C=xe.get("WEBGL_lose_context");C&&C.loseContext()},this.forceContextRestore=function(){const C=xe.get("WEBGL_lose_context");C&&C.restoreContext()},this.getPixelRatio=function(){return te},this.setPixelRatio=function(C){C!==void 0&&(te=C,this.setSize(X,se,!1))},this.getSize=function(C){return C.set(X,se)},this.setSize=function(C,ee,ue=!0){if(Ze.isPresenting){console.warn("THREE.WebGLRenderer: Can't change size while VR device is presenting.");return}X=C,se=ee,t.width=Math.floor(C*te),t.height=Math.floor(ee*te),ue===!0&&(t.style.width=C+"px",t.style.height=ee+"px"),this.setViewport(0,0,C,ee)},this.getDrawingBufferSize=function(C){return C.set(X*te,se*te).floor()},this.setDrawingBufferSize=function(C,ee,ue){X=C,se=ee,te=ue,t.width=Math.floor(C*ue),t.height=Math.floor(ee*ue),this.setViewport(0,0,C,ee)},this.getCurrentViewport=function(C){return C.copy(M)},this.getViewport=function(C){return C.copy(q)},this.setViewport=function(C,ee,ue,le){C.isVector4?q.set(C.x,C.y,C.z,C.w):q.set(C,ee,ue,le),Me.viewport(M.copy(q).multiplyScalar(te).round())},this.getScissor=function(C){return C.copy(fe)},this.setScissor=function(C,ee,ue,le){C.isVector4?fe.set(C.x,C.y,C.z,C.w):fe.set(C,ee,ue,le),Me.scissor(U.copy(fe).multiplyScalar(te).round())},this.getScissorTest=function(){return P},this.setScissorTest=function(C){Me.setScissorTest(P=C)},this.setOpaqueSort=function(C){ne=C},this.setTransparentSort=function(C){Y=C},this.getClearColor=function(C){return C.copy(Te.getClearColor())},this.setClearColor=function(){Te.setClearColor.apply(Te,arguments)},this.getClearAlpha=function(){return Te.getClearAlpha()},this.setClearAlpha=function(){Te.setClearAlpha.apply(Te,arguments)},this.clear=function(C=!0,ee=!0,ue=!0){let le=0;if(C){let oe=!1;if(R!==null){const we=R.texture.format;oe=we===jf||we===qf||we===Yf}if(oe){const we=R.texture.type,Le=we===is||we===xr||we===Gf||we===io||we===Xf||we===$f,De=Te.getClearColor(),We=Te.getClearAlpha(),Ge=De.r,qe=De.g,tt=De.b;Le?(m[0]=Ge,m[1]=qe,m[2]=tt,m[3]=We,F.clearBufferuiv(F.COLOR,0,m)):(_[0]=Ge,_[1]=qe,_[2]=tt,_[3]=We,F.clearBufferiv(F.COLOR,0,_))}else le|=F.COLOR_BUFFER_BIT}ee&&(le|=F.DEPTH_BUFFER_BIT),ue&&(le|=F.STENCIL_BUFFER_BIT,this.state.buffers.stencil.setMask(4294967295)),F.clear(le)},this.clearColor=function(){this.clear(!0,!1,!1)},this.clearDepth=function(){this.clear(!1,!0,!1)},this.clearStencil=function(){this.clear(!1,!1,!0)},this.dispose=function(){t.removeEventListener("webglcontextlost",S,!1),t.removeEventListener("webglcontextrestored",J,!1),t.removeEventListener("webglcontextcreationerror",re,!1),de.dispose(),Se.dispose(),Ie.dispose(),pt.dispose(),k.dispose(),pe.dispose(),Ve.dispose(),$e.dispose(),ve.dispose(),Ze.dispose(),Ze.removeEventListener("sessionstart",lt),Ze.removeEventListener("sessionend",It),ut.stop()};function S(C){C.preventDefault(),console.log("THREE.WebGLRenderer: Context Lost."),b=!0}function J(){console.log("THREE.WebGLRenderer: Context Restored."),b=!1;const C=Ce.autoReset,ee=Xe.enabled,ue=Xe.autoUpdate,le=Xe.needsUpdate,oe=Xe.type;ht(),Ce.autoReset=C,Xe.enabled=ee,Xe.autoUpdate=ue,Xe.needsUpdate=le,Xe.type=oe}function re(C){console.error("THREE.WebGLRenderer: A WebGL context could not be created. Reason: ",C.statusMessage)}function ge(C){const ee=C.target;ee.removeEventListener("dispose",ge),Re(ee)}function Re(C){et(C),Ie.remove(C)}function et(C){const ee=Ie.get(C).programs;ee!==void 0&&(ee.forEach(function(ue){ve.releaseProgram(ue)}),C.isShaderMaterial&&ve.releaseShaderCache(C))}this.renderBufferDirect=function(C,ee,ue,le,oe,we){ee===null&&(ee=Q);const Le=oe.isMesh&&oe.matrixWorld.determinant()<0,De=ao(C,ee,ue,le,oe);Me.setMaterial(le,Le);let We=ue.index,Ge=1;if(le.wireframe===!0){if(We=ce.getWireframeAttribute(ue),We===void 0)return;Ge=2}const qe=ue.drawRange,tt=ue.attributes.position;let Lt=qe.start*Ge,kt=(qe.start+qe.count)*Ge;we!==null&&(Lt=Math.max(Lt,we.start*Ge),kt=Math.min(kt,(we.start+we.count)*Ge)),We!==null?(Lt=Math.max(Lt,0),kt=Math.min(kt,We.count)):tt!=null&&(Lt=Math.max(Lt,0),kt=Math.min(kt,tt.count));const Ht=kt-Lt;if(Ht<0||Ht===1/0)return;Ve.setup(oe,le,De,ue,We);let Ln,ct=Qe;if(We!==null&&(Ln=A.get(We),ct=Be,ct.setIndex(Ln)),oe.isMesh)le.wireframe===!0?(Me.setLineWidth(le.wireframeLinewidth*j()),ct.setMode(F.LINES)):ct.setMode(F.TRIANGLES);else if(oe.isLine){let je=le.linewidth;je===void 0&&(je=1),Me.setLineWidth(je*j()),oe.isLineSegments?ct.setMode(F.LINES):oe.isLineLoop?ct.setMode(F.LINE_LOOP):ct.setMode(F.LINE_STRIP)}else oe.isPoints?ct.setMode(F.POINTS):oe.isSprite&&ct.setMode(F.TRIANGLES);if(oe.isBatchedMesh)oe._multiDrawInstances!==null?ct.renderMultiDrawInstances(oe._multiDrawStarts,oe._multiDrawCounts,oe._multiDrawCount,oe._multiDrawInstances):ct.renderMultiDraw(oe._multiDrawStarts,oe._multiDrawCounts,oe._multiDrawCount);else if(oe.isInstancedMesh)ct.renderInstances(Lt,Ht,oe.count);else if(ue.isInstancedBufferGeometry){const je=ue._maxInstanceCount!==void 0?ue._maxInstanceCount:1/0,bi=Math.min(ue.instanceCount,je);ct.renderInstances(Lt,Ht,bi)}else ct.render(Lt,Ht)};function it(C,ee,ue){C.transparent===!0&&C.side===ai&&C.forceSinglePass===!1?(C.side=Pn,C.needsUpdate=!0,Kn(C,ee,ue),C.side=ns,C.needsUpdate=!0,Kn(C,ee,ue),C.side=ai):Kn(C,ee,ue)}this.compile=function(C,ee,ue=null){ue===null&&(ue=C),p=Se.get(ue),p.init(ee),y.push(p),ue.traverseVisible(function(oe){oe.isLight&&oe.layers.test(ee.layers)&&(p.pushLight(oe),oe.castShadow&&p.pushShadow(oe))}),C!==ue&&C.traverseVisible(function(oe){oe.isLight&&oe.layers.test(ee.layers)&&(p.pushLight(oe),oe.castShadow&&p.pushShadow(oe))}),p.setupLights(x._useLegacyLights);const le=new Set;return C.traverse(function(oe){const we=oe.material;if(we)if(Array.isArray(we))for(let Le=0;Le<we.length;Le++){const De=we[Le];it(De,ue,oe),le.add(De)}else it(we,ue,oe),le.add(we)}),y.pop(),p=null,le},this.compileAsync=function(C,ee,ue=null){const le=this.compile(C,ee,ue);return new Promise(oe=>{function we(){if(le.forEach(function(Le){Ie.get(Le).currentProgram.isReady()&&le.delete(Le)}),le.size===0){oe(C);return}setTimeout(we,10)}xe.get("KHR_parallel_shader_compile")!==null?we():setTimeout(we,10)})};let bt=null;function zt(C){bt&&bt(C)}function lt(){ut.stop()}function It(){ut.start()}const ut=new ad;ut.setAnimationLoop(zt),typeof self<"u"&&ut.setContext(self),this.setAnimationLoop=function(C){bt=C,Ze.setAnimationLoop(C),C===null?ut.stop():ut.start()},Ze.addEventListener("sessionstart",lt),Ze.addEventListener("sessionend",It),this.render=function(C,ee){if(ee!==void 0&&ee.isCamera!==!0){console.error("THREE.WebGLRenderer.render: camera is not an instance of THREE.Camera.");return}if(b===!0)return;C.matrixWorldAutoUpdate===!0&&C.updateMatrixWorld(),ee.parent===null&&ee.matrixWorldAutoUpdate===!0&&ee.updateMatrixWorld(),Ze.enabled===!0&&Ze.isPresenting===!0&&(Ze.cameraAutoUpdate===!0&&Ze.updateCamera(ee),ee=Ze.getCamera()),C.isScene===!0&&C.onBeforeRender(x,C,ee,R),p=Se.get(C,y.length),p.init(ee),y.push(p),ae.multiplyMatrices(ee.projectionMatrix,ee.matrixWorldInverse),V.setFromProjectionMatrix(ae),K=this.localClippingEnabled,D=Ee.init(this.clippingPlanes,K),v=de.get(C,d.length),v.init(),d.push(v),wt(C,ee,0,x.sortObjects),v.finish(),x.sortObjects===!0&&v.sort(ne,Y);const ue=Ze.enabled===!1||Ze.isPresenting===!1||Ze.hasDepthSensing()===!1;ue&&Te.addToRenderList(v,C),this.info.render.frame++,D===!0&&Ee.beginShadows();const le=p.state.shadowsArray;Xe.render(le,C,ee),D===!0&&Ee.endShadows(),this.info.autoReset===!0&&this.info.reset();const oe=v.opaque,we=v.transmissive;if(p.setupLights(x._useLegacyLights),ee.isArrayCamera){const Le=ee.cameras;if(we.length>0)for(let De=0,We=Le.length;De<We;De++){const Ge=Le[De];mn(oe,we,C,Ge)}ue&&Te.render(C);for(let De=0,We=Le.length;De<We;De++){const Ge=Le[De];Ut(v,C,Ge,Ge.viewport)}}else we.length>0&&mn(oe,we,C,ee),ue&&Te.render(C),Ut(v,C,ee);R!==null&&(Ke.updateMultisampleRenderTarget(R),Ke.updateRenderTargetMipmap(R)),C.isScene===!0&&C.onAfterRender(x,C,ee),Ve.resetDefaultState(),z=-1,w=null,y.pop(),y.length>0?(p=y[y.length-1],D===!0&&Ee.setGlobalState(x.clippingPlanes,p.state.camera)):p=null,d.pop(),d.length>0?v=d[d.length-1]:v=null};function wt(C,ee,ue,le){if(C.visible===!1)return;if(C.layers.test(ee.layers)){if(C.isGroup)ue=C.renderOrder;else if(C.isLOD)C.autoUpdate===!0&&C.update(ee);else if(C.isLight)p.pushLight(C),C.castShadow&&p.pushShadow(C);else if(C.isSprite){if(!C.frustumCulled||V.intersectsSprite(C)){le&&B.setFromMatrixPosition(C.matrixWorld).applyMatrix4(ae);const Le=pe.update(C),De=C.material;De.visible&&v.push(C,Le,De,ue,B.z,null)}}else if((C.isMesh||C.isLine||C.isPoints)&&(!C.frustumCulled||V.intersectsObject(C))){const Le=pe.update(C),De=C.material;if(le&&(C.boundingSphere!==void 0?(C.boundingSphere===null&&C.computeBoundingSphere(),B.copy(C.boundingSphere.center)):(Le.boundingSphere===null&&Le.computeBoundingSphere(),B.copy(Le.boundingSphere.center)),B.applyMatrix4(C.matrixWorld).applyMatrix4(ae)),Array.isArray(De)){const We=Le.groups;for(let Ge=0,qe=We.length;Ge<qe;Ge++){const tt=We[Ge],Lt=De[tt.materialIndex];Lt&&Lt.visible&&v.push(C,Le,Lt,ue,B.z,tt)}}else De.visible&&v.push(C,Le,De,ue,B.z,null)}}const we=C.children;for(let Le=0,De=we.length;Le<De;Le++)wt(we[Le],ee,ue,le)}function Ut(C,ee,ue,le){const oe=C.opaque,we=C.transmissive,Le=C.transparent;p.setupLightsView(ue),D===!0&&Ee.setGlobalState(x.clippingPlanes,ue),le&&Me.viewport(M.copy(le)),oe.length>0&&hn(oe,ee,ue),we.length>0&&hn(we,ee,ue),Le.length>0&&hn(Le,ee,ue),Me.buffers.depth.setTest(!0),Me.buffers.depth.setMask(!0),Me.buffers.color.setMask(!0),Me.setPolygonOffset(!1)}function mn(C,ee,ue,le){if((ue.isScene===!0?ue.overrideMaterial:null)!==null)return;p.state.transmissionRenderTarget[le.id]===void 0&&(p.state.transmissionRenderTarget[le.id]=new Ts(1,1,{generateMipmaps:!0,type:xe.has("EXT_color_buffer_half_float")||xe.has("EXT_color_buffer_float")?ca:is,minFilter:Es,samples:4,stencilBuffer:r,resolveDepthBuffer:!1,resolveStencilBuffer:!1}));const we=p.state.transmissionRenderTarget[le.id],Le=le.viewport||M;we.setSize(Le.z,Le.w);const De=x.getRenderTarget();x.setRenderTarget(we),x.getClearColor(N),Z=x.getClearAlpha(),Z<1&&x.setClearColor(16777215,.5),x.clear();const We=x.toneMapping;x.toneMapping=ts;const Ge=le.viewport;if(le.viewport!==void 0&&(le.viewport=void 0),p.setupLightsView(le),D===!0&&Ee.setGlobalState(x.clippingPlanes,le),hn(C,ue,le),Ke.updateMultisampleRenderTarget(we),Ke.updateRenderTargetMipmap(we),xe.has("WEBGL_multisampled_render_to_texture")===!1){let qe=!1;for(let tt=0,Lt=ee.length;tt<Lt;tt++){const kt=ee[tt],Ht=kt.object,Ln=kt.geometry,ct=kt.material,je=kt.group;if(ct.side===ai&&Ht.layers.test(le.layers)){const bi=ct.side;ct.side=Pn,ct.needsUpdate=!0,Jt(Ht,ue,le,Ln,ct,je),ct.side=bi,ct.needsUpdate=!0,qe=!0}}qe===!0&&(Ke.updateMultisampleRenderTarget(we),Ke.updateRenderTargetMipmap(we))}x.setRenderTarget(De),x.setClearColor(N,Z),Ge!==void 0&&(le.viewport=Ge),x.toneMapping=We}function hn(C,ee,ue){const le=ee.isScene===!0?ee.overrideMaterial:null;for(let oe=0,we=C.length;oe<we;oe++){const Le=C[oe],De=Le.object,We=Le.geometry,Ge=le===null?Le.material:le,qe=Le.group;De.layers.test(ue.layers)&&Jt(De,ee,ue,We,Ge,qe)}}function Jt(C,ee,ue,le,oe,we){C.onBeforeRender(x,ee,ue,le,oe,we),C.modelViewMatrix.multiplyMatrices(ue.matrixWorldInverse,C.matrixWorld),C.normalMatrix.getNormalMatrix(C.modelViewMatrix),oe.onBeforeRender(x,ee,ue,le,C,we),oe.transparent===!0&&oe.side===ai&&oe.forceSinglePass===!1?(oe.side=Pn,oe.needsUpdate=!0,x.renderBufferDirect(ue,ee,le,oe,C,we),oe.side=ns,oe.needsUpdate=!0,x.renderBufferDirect(ue,ee,le,oe,C,we),oe.side=ai):x.renderBufferDirect(ue,ee,le,oe,C,we),C.onAfterRender(x,ee,ue,le,oe,we)}function Kn(C,ee,ue){ee.isScene!==!0&&(ee=Q);const le=Ie.get(C),oe=p.state.lights,we=p.state.shadowsArray,Le=oe.state.version,De=ve.getParameters(C,oe.state,we,ee,ue),We=ve.getProgramCacheKey(De);let Ge=le.programs;le.environment=C.isMeshStandardMaterial?ee.environment:null,le.fog=ee.fog,le.envMap=(C.isMeshStandardMaterial?k:pt).get(C.envMap||le.environment),le.envMapRotation=le.environment!==null&&C.envMap===null?ee.environmentRotation:C.envMapRotation,Ge===void 0&&(C.addEventListener("dispose",ge),Ge=new Map,le.programs=Ge);let qe=Ge.get(We);if(qe!==void 0){if(le.currentProgram===qe&&le.lightsStateVersion===Le)return Cr(C,De),qe}else De.uniforms=ve.getUniforms(C),C.onBuild(ue,De,x),C.onBeforeCompile(De,x),qe=ve.acquireProgram(De,We),Ge.set(We,qe),le.uniforms=De.uniforms;const tt=le.uniforms;return(!C.isShaderMaterial&&!C.isRawShaderMaterial||C.clipping===!0)&&(tt.clippingPlanes=Ee.uniform),Cr(C,De),le.needsLights=ba(C),le.lightsStateVersion=Le,le.needsLights&&(tt.ambientLightColor.value=oe.state.ambient,tt.lightProbe.value=oe.state.probe,tt.directionalLights.value=oe.state.directional,tt.directionalLightShadows.value=oe.state.directionalShadow,tt.spotLights.value=oe.state.spot,tt.spotLightShadows.value=oe.state.spotShadow,tt.rectAreaLights.value=oe.state.rectArea,tt.ltc_1.value=oe.state.rectAreaLTC1,tt.ltc_2.value=oe.state.rectAreaLTC2,tt.pointLights.value=oe.state.point,tt.pointLightShadows.value=oe.state.pointShadow,tt.hemisphereLights.value=oe.state.hemi,tt.directionalShadowMap.value=oe.state.directionalShadowMap,tt.directionalShadowMatrix.value=oe.state.directionalShadowMatrix,tt.spotShadowMap.value=oe.state.spotShadowMap,tt.spotLightMatrix.value=oe.state.spotLightMatrix,tt.spotLightMap.value=oe.state.spotLightMap,tt.pointShadowMap.value=oe.state.pointShadowMap,tt.pointShadowMatrix.value=oe.state.pointShadowMatrix),le.currentProgram=qe,le.uniformsList=null,qe}function Ei(C){if(C.uniformsList===null){const ee=C.currentProgram.getUniforms();C.uniformsList=Xo.seqWithValue(ee.seq,C.uniforms)}return C.uniformsList}function Cr(C,ee){const ue=Ie.get(C);ue.outputColorSpace=ee.outputColorSpace,ue.batching=ee.batching,ue.instancing=ee.instancing,ue.instancingColor=ee.instancingColor,ue.instancingMorph=ee.instancingMorph,ue.skinning=ee.skinning,ue.morphTargets=ee.morphTargets,ue.morphNormals=ee.morphNormals,ue.morphColors=ee.morphColors,ue.morphTargetsCount=ee.morphTargetsCount,ue.numClippingPlanes=ee.numClippingPlanes,ue.numIntersection=ee.numClipIntersection,ue.vertexAlphas=ee.vertexAlphas,ue.vertexTangents=ee.vertexTangents,ue.toneMapping=ee.toneMapping}function ao(C,ee,ue,le,oe){ee.isScene!==!0&&(ee=Q),Ke.resetTextureUnits();const we=ee.fog,Le=le.isMeshStandardMaterial?ee.environment:null,De=R===null?x.outputColorSpace:R.isXRRenderTarget===!0?R.texture.colorSpace:ki,We=(le.isMeshStandardMaterial?k:pt).get(le.envMap||Le),Ge=le.vertexColors===!0&&!!ue.attributes.color&&ue.attributes.color.itemSize===4,qe=!!ue.attributes.tangent&&(!!le.normalMap||le.anisotropy>0),tt=!!ue.morphAttributes.position,Lt=!!ue.morphAttributes.normal,kt=!!ue.morphAttributes.color;let Ht=ts;le.toneMapped&&(R===null||R.isXRRenderTarget===!0)&&(Ht=x.toneMapping);const Ln=ue.morphAttributes.position||ue.morphAttributes.normal||ue.morphAttributes.color,ct=Ln!==void 0?Ln.length:0,je=Ie.get(le),bi=p.state.lights;if(D===!0&&(K===!0||C!==w)){const bn=C===w&&le.id===z;Ee.setState(le,C,bn)}let xt=!1;le.version===je.__version?(je.needsLights&&je.lightsStateVersion!==bi.state.version||je.outputColorSpace!==De||oe.isBatchedMesh&&je.batching===!1||!oe.isBatchedMesh&&je.batching===!0||oe.isInstancedMesh&&je.instancing===!1||!oe.isInstancedMesh&&je.instancing===!0||oe.isSkinnedMesh&&je.skinning===!1||!oe.isSkinnedMesh&&je.skinning===!0||oe.isInstancedMesh&&je.instancingColor===!0&&oe.instanceColor===null||oe.isInstancedMesh&&je.instancingColor===!1&&oe.instanceColor!==null||oe.isInstancedMesh&&je.instancingMorph===!0&&oe.morphTexture===null||oe.isInstancedMesh&&je.instancingMorph===!1&&oe.morphTexture!==null||je.envMap!==We||le.fog===!0&&je.fog!==we||je.numClippingPlanes!==void 0&&(je.numClippingPlanes!==Ee.numPlanes||je.numIntersection!==Ee.numIntersection)||je.vertexAlphas!==Ge||je.vertexTangents!==qe||je.morphTargets!==tt||je.morphNormals!==Lt||je.morphColors!==kt||je.toneMapping!==Ht||je.morphTargetsCount!==ct)&&(xt=!0):(xt=!0,je.__version=le.version);let Zn=je.currentProgram;xt===!0&&(Zn=Kn(le,ee,oe));let Ls=!1,Vt=!1,Ds=!1;const $t=Zn.getUniforms(),Gn=je.uniforms;if(Me.useProgram(Zn.program)&&(Ls=!0,Vt=!0,Ds=!0),le.id!==z&&(z=le.id,Vt=!0),Ls||w!==C){$t.setValue(F,"projectionMatrix",C.projectionMatrix),$t.setValue(F,"viewMatrix",C.matrixWorldInverse);const bn=$t.map.cameraPosition;bn!==void 0&&bn.setValue(F,B.setFromMatrixPosition(C.matrixWorld)),be.logarithmicDepthBuffer&&$t.setValue(F,"logDepthBufFC",2/(Math.log(C.far+1)/Math.LN2)),(le.isMeshPhongMaterial||le.isMeshToonMaterial||le.isMeshLambertMaterial||le.isMeshBasicMaterial||le.isMeshStandardMaterial||le.isShaderMaterial)&&$t.setValue(F,"isOrthographic",C.isOrthographicCamera===!0),w!==C&&(w=C,Vt=!0,Ds=!0)}if(oe.isSkinnedMesh){$t.setOptional(F,oe,"bindMatrix"),$t.setOptional(F,oe,"bindMatrixInverse");const bn=oe.skeleton;bn&&(bn.boneTexture===null&&bn.computeBoneTexture(),$t.setValue(F,"boneTexture",bn.boneTexture,Ke))}oe.isBatchedMesh&&($t.setOptional(F,oe,"batchingTexture"),$t.setValue(F,"batchingTexture",oe._matricesTexture,Ke));const Us=ue.morphAttributes;if((Us.position!==void 0||Us.normal!==void 0||Us.color!==void 0)&&ke.update(oe,ue,Zn),(Vt||je.receiveShadow!==oe.receiveShadow)&&(je.receiveShadow=oe.receiveShadow,$t.setValue(F,"receiveShadow",oe.receiveShadow)),le.isMeshGouraudMaterial&&le.envMap!==null&&(Gn.envMap.value=We,Gn.flipEnvMap.value=We.isCubeTexture&&We.isRenderTargetTexture===!1?-1:1),le.isMeshStandardMaterial&&le.envMap===null&&ee.environment!==null&&(Gn.envMapIntensity.value=ee.environmentIntensity),Vt&&($t.setValue(F,"toneMappingExposure",x.toneMappingExposure),je.needsLights&&Ea(Gn,Ds),we&&le.fog===!0&&he.refreshFogUniforms(Gn,we),he.refreshMaterialUniforms(Gn,le,te,se,p.state.transmissionRenderTarget[C.id]),Xo.upload(F,Ei(je),Gn,Ke)),le.isShaderMaterial&&le.uniformsNeedUpdate===!0&&(Xo.upload(F,Ei(je),Gn,Ke),le.uniformsNeedUpdate=!1),le.isSpriteMaterial&&$t.setValue(F,"center",oe.center),$t.setValue(F,"modelViewMatrix",oe.modelViewMatrix),$t.setValue(F,"normalMatrix",oe.normalMatrix),$t.setValue(F,"modelMatrix",oe.matrixWorld),le.isShaderMaterial||le.isRawShaderMaterial){const bn=le.uniformsGroups;for(let Pr=0,wa=bn.length;Pr<wa;Pr++){const Lr=bn[Pr];$e.update(Lr,Zn),$e.bind(Lr,Zn)}}return Zn}function Ea(C,ee){C.ambientLightColor.needsUpdate=ee,C.lightProbe.needsUpdate=ee,C.directionalLights.needsUpdate=ee,C.directionalLightShadows.needsUpdate=ee,C.pointLights.needsUpdate=ee,C.pointLightShadows.needsUpdate=ee,C.spotLights.needsUpdate=ee,C.spotLightShadows.needsUpdate=ee,C.rectAreaLights.needsUpdate=ee,C.hemisphereLights.needsUpdate=ee}function ba(C){return C.isMeshLambertMaterial||C.isMeshToonMaterial||C.isMeshPhongMaterial||C.isMeshStandardMaterial||C.isShadowMaterial||C.isShaderMaterial&&C.lights===!0}this.getActiveCubeFace=function(){return H},this.getActiveMipmapLevel=function(){return T},this.getRenderTarget=function(){return R},this.setRenderTargetTextures=function(C,ee,ue){Ie.get(C.texture).__webglTexture=ee,Ie.get(C.depthTexture).__webglTexture=ue;const le=Ie.get(C);le.__hasExternalTextures=!0,le.__autoAllocateDepthBuffer=ue===void 0,le.__autoAllocateDepthBuffer||xe.has("WEBGL_multisampled_render_to_texture")===!0&&(console.warn("THREE.WebGLRenderer: Render-to-texture extension was disabled because an external texture was provided"),le.__useRenderToTexture=!1)},this.setRenderTargetFramebuffer=function(C,ee){const ue=Ie.get(C);ue.__webglFramebuffer=ee,ue.__useDefaultFramebuffer=ee===void 0},this.setRenderTarget=function(C,ee=0,ue=0){R=C,H=ee,T=ue;let le=!0,oe=null,we=!1,Le=!1;if(C){const We=Ie.get(C);We.__useDefaultFramebuffer!==void 0?(Me.bindFramebuffer(F.FRAMEBUFFER,null),le=!1):We.__webglFramebuffer===void 0?Ke.setupRenderTarget(C):We.__hasExternalTextures&&Ke.rebindTextures(C,Ie.get(C.texture).__webglTexture,Ie.get(C.depthTexture).__webglTexture);const Ge=C.texture;(Ge.isData3DTexture||Ge.isDataArrayTexture||Ge.isCompressedArrayTexture)&&(Le=!0);const qe=Ie.get(C).__webglFramebuffer;C.isWebGLCubeRenderTarget?(Array.isArray(qe[ee])?oe=qe[ee][ue]:oe=qe[ee],we=!0):C.samples>0&&Ke.useMultisampledRTT(C)===!1?oe=Ie.get(C).__webglMultisampledFramebuffer:Array.isArray(qe)?oe=qe[ue]:oe=qe,M.copy(C.viewport),U.copy(C.scissor),G=C.scissorTest}else M.copy(q).multiplyScalar(te).floor(),U.copy(fe).multiplyScalar(te).floor(),G=P;if(Me.bindFramebuffer(F.FRAMEBUFFER,oe)&&le&&Me.drawBuffers(C,oe),Me.viewport(M),Me.scissor(U),Me.setScissorTest(G),we){const We=Ie.get(C.texture);F.framebufferTexture2D(F.FRAMEBUFFER,F.COLOR_ATTACHMENT0,F.TEXTURE_CUBE_MAP_POSITIVE_X+ee,We.__webglTexture,ue)}else if(Le){const We=Ie.get(C.texture),Ge=ee||0;F.framebufferTextureLayer(F.FRAMEBUFFER,F.COLOR_ATTACHMENT0,We.__webglTexture,ue||0,Ge)}z=-1},this.readRenderTargetPixels=function(C,ee,ue,le,oe,we,Le){if(!(C&&C.isWebGLRenderTarget)){console.error("THREE.WebGLRenderer.readRenderTargetPixels: renderTarget is not THREE.WebGLRenderTarget.");return}let De=Ie.get(C).__webglFramebuffer;if(C.isWebGLCubeRenderTarget&&Le!==void 0&&(De=De[Le]),De){Me.bindFramebuffer(F.FRAMEBUFFER,De);try{const We=C.texture,Ge=We.format,qe=We.type;if(!be.textureFormatReadable(Ge)){console.error("THREE.WebGLRenderer.readRenderTargetPixels: renderTarget is not in RGBA or implementation defined format.");return}if(!be.textureTypeReadable(qe)){console.error("THREE.WebGLRenderer.readRenderTargetPixels: renderTarget is not in UnsignedByteType or implementation defined type.");return}ee>=0&&ee<=C.width-le&&ue>=0&&ue<=C.height-oe&&F.readPixels(ee,ue,le,oe,Pe.convert(Ge),Pe.convert(qe),we)}finally{const We=R!==null?Ie.get(R).__webglFramebuffer:null;Me.bindFramebuffer(F.FRAMEBUFFER,We)}}},this.copyFramebufferToTexture=function(C,ee,ue=0){const le=Math.pow(2,-ue),oe=Math.floor(ee.image.width*le),we=Math.floor(ee.image.height*le);Ke.setTexture2D(ee,0),F.copyTexSubImage2D(F.TEXTURE_2D,ue,0,0,C.x,C.y,oe,we),Me.unbindTexture()},this.copyTextureToTexture=function(C,ee,ue,le=0){const oe=ee.image.width,we=ee.image.height,Le=Pe.convert(ue.format),De=Pe.convert(ue.type);Ke.setTexture2D(ue,0),F.pixelStorei(F.UNPACK_FLIP_Y_WEBGL,ue.flipY),F.pixelStorei(F.UNPACK_PREMULTIPLY_ALPHA_WEBGL,ue.premultiplyAlpha),F.pixelStorei(F.UNPACK_ALIGNMENT,ue.unpackAlignment),ee.isDataTexture?F.texSubImage2D(F.TEXTURE_2D,le,C.x,C.y,oe,we,Le,De,ee.image.data):ee.isCompressedTexture?F.compressedTexSubImage2D(F.TEXTURE_2D,le,C.x,C.y,ee.mipmaps[0].width,ee.mipmaps[0].height,Le,ee.mipmaps[0].data):F.texSubImage2D(F.TEXTURE_2D,le,C.x,C.y,Le,De,ee.image),le===0&&ue.generateMipmaps&&F.generateMipmap(F.TEXTURE_2D),Me.unbindTexture()},this.copyTextureToTexture3D=function(C,ee,ue,le,oe=0){const we=C.max.x-C.min.x,Le=C.max.y-C.min.y,De=C.max.z-C.min.z,We=Pe.convert(le.format),Ge=Pe.convert(le.type);let qe;if(le.isData3DTexture)Ke.setTexture3D(le,0),qe=F.TEXTURE_3D;else if(le.isDataArrayTexture||le.isCompressedArrayTexture)Ke.setTexture2DArray(le,0),qe=F.TEXTURE_2D_ARRAY;else{console.warn("THREE.WebGLRenderer.copyTextureToTexture3D: only supports THREE.DataTexture3D and THREE.DataTexture2DArray.");return}F.pixelStorei(F.UNPACK_FLIP_Y_WEBGL,le.flipY),F.pixelStorei(F.UNPACK_PREMULTIPLY_ALPHA_WEBGL,le.premultiplyAlpha),F.pixelStorei(F.UNPACK_ALIGNMENT,le.unpackAlignment);const tt=F.getParameter(F.UNPACK_ROW_LENGTH),Lt=F.getParameter(F.UNPACK_IMAGE_HEIGHT),kt=F.getParameter(F.UNPACK_SKIP_PIXELS),Ht=F.getParameter(F.UNPACK_SKIP_ROWS),Ln=F.getParameter(F.UNPACK_SKIP_IMAGES),ct=ue.isCompressedTexture?ue.mipmaps[oe]:ue.image;F.pixelStorei(F.UNPACK_ROW_LENGTH,ct.width),F.pixelStorei(F.UNPACK_IMAGE_HEIGHT,ct.height),F.pixelStorei(F.UNPACK_SKIP_PIXELS,C.min.x),F.pixelStorei(F.UNPACK_SKIP_ROWS,C.min.y),F.pixelStorei(F.UNPACK_SKIP_IMAGES,C.min.z),ue.isDataTexture||ue.isData3DTexture?F.texSubImage3D(qe,oe,ee.x,ee.y,ee.z,we,Le,De,We,Ge,ct.data):le.isCompressedArrayTexture?F.compressedTexSubImage3D(qe,oe,ee.x,ee.y,ee.z,we,Le,De,We,ct.data):F.texSubImage3D(qe,oe,ee.x,ee.y,ee.z,we,Le,De,We,Ge,ct),F.pixelStorei(F.UNPACK_ROW_LENGTH,tt),F.pixelStorei(F.UNPACK_IMAGE_HEIGHT,Lt),F.pixelStorei(F.UNPACK_SKIP_PIXELS,kt),F.pixelStorei(F.UNPACK_SKIP_ROWS,Ht),F.pixelStorei(F.UNPACK_SKIP_IMAGES,Ln),oe===0&&le.generateMipmaps&&F.generateMipmap(qe),Me.unbindTexture()},this.initTexture=function(C){C.isCubeTexture?Ke.setTextureCube(C,0):C.isData3DTexture?Ke.setTexture3D(C,0):C.isDataArrayTexture||C.isCompressedArrayTexture?Ke.setTexture2DArray(C,0):Ke.setTexture2D(C,0),Me.unbindTexture()},this.resetState=function(){H=0,T=0,R=null,Me.reset(),Ve.reset()},typeof __THREE_DEVTOOLS__<"u"&&__THREE_DEVTOOLS__.dispatchEvent(new CustomEvent("observe",{detail:this}))}get coordinateSystem(){return Ui}get outputColorSpace(){return this._outputColorSpace}set outputColorSpace(e){this._outputColorSpace=e;const t=this.getContext();t.drawingBufferColorSpace=e===ic?"display-p3":"srgb",t.unpackColorSpace=vt.workingColorSpace===ua?"display-p3":"srgb"}get useLegacyLights(){return console.warn("THREE.WebGLRenderer: The property .useLegacyLights has been deprecated. Migrate your lighting according to the following guide: https://discourse.threejs.org/t/updates-to-lighting-in-three-js-r155/53733."),this._useLegacyLights}set useLegacyLights(e){console.warn("THREE.WebGLRenderer: The property .useLegacyLights has been deprecated. Migrate your lighting according to the following guide: https://discourse.threejs.org/t/updates-to-lighting-in-three-js-r155/53733."),this._useLegacyLights=e}}class cM extends Bn{constructor(){super(),this.isScene=!0,this.type="Scene",this.background=null,this.environment=null,this.fog=null,this.backgroundBlurriness=0,this.backgroundIntensity=1,this.backgroundRotation=new Fi,this.environmentIntensity=1,this.environmentRotation=new Fi,this.overrideMaterial=null,typeof __THREE_DEVTOOLS__<"u"&&__THREE_DEVTOOLS__.dispatchEvent(new CustomEvent("observe",{detail:this}))}copy(e,t){return super.copy(e,t),e.background!==null&&(this.background=e.background.clone()),e.environment!==null&&(this.environment=e.environment.clone()),e.fog!==null&&(this.fog=e.fog.clone()),this.backgroundBlurriness=e.backgroundBlurriness,this.backgroundIntensity=e.backgroundIntensity,this.backgroundRotation.copy(e.backgroundRotation),this.environmentIntensity=e.environmentIntensity,this.environmentRotation.copy(e.environmentRotation),e.overrideMaterial!==null&&(this.overrideMaterial=e.overrideMaterial.clone()),this.matrixAutoUpdate=e.matrixAutoUpdate,this}toJSON(e){const t=super.toJSON(e);return this.fog!==null&&(t.object.fog=this.fog.toJSON()),this.backgroundBlurriness>0&&(t.object.backgroundBlurriness=this.backgroundBlurriness),this.backgroundIntensity!==1&&(t.object.backgroundIntensity=this.backgroundIntensity),t.object.backgroundRotation=this.backgroundRotation.toArray(),this.environmentIntensity!==1&&(t.object.environmentIntensity=this.environmentIntensity),t.object.environmentRotation=this.environmentRotation.toArray(),t}}class uM extends yn{constructor(e=null,t=1,n=1,s,r,o,a,l,c=An,u=An,h,f){super(null,o,a,l,c,u,s,r,h,f),this.isDataTexture=!0,this.image={data:e,width:t,height:n},this.generateMipmaps=!1,this.flipY=!1,this.unpackAlignment=1}}class vl extends En{constructor(e,t,n,s=1){super(e,t,n),this.isInstancedBufferAttribute=!0,this.meshPerAttribute=s}copy(e){return super.copy(e),this.meshPerAttribute=e.meshPerAttribute,this}toJSON(){const e=super.toJSON();return e.meshPerAttribute=this.meshPerAttribute,e.isInstancedBufferAttribute=!0,e}}class Bi{constructor(){this.type="Curve",this.arcLengthDivisions=200}getPoint(){return console.warn("THREE.Curve: .getPoint() not implemented."),null}getPointAt(e,t){const n=this.getUtoTmapping(e);return this.getPoint(n,t)}getPoints(e=5){const t=[];for(let n=0;n<=e;n++)t.push(this.getPoint(n/e));return t}getSpacedPoints(e=5){const t=[];for(let n=0;n<=e;n++)t.push(this.getPointAt(n/e));return t}getLength(){const e=this.getLengths();return e[e.length-1]}getLengths(e=this.arcLengthDivisions){if(this.cacheArcLengths&&this.cacheArcLengths.length===e+1&&!this.needsUpdate)return this.cacheArcLengths;this.needsUpdate=!1;const t=[];let n,s=this.getPoint(0),r=0;t.push(0);for(let o=1;o<=e;o++)n=this.getPoint(o/e),r+=n.distanceTo(s),t.push(r),s=n;return this.cacheArcLengths=t,t}updateArcLengths(){this.needsUpdate=!0,this.getLengths()}getUtoTmapping(e,t){const n=this.getLengths();let s=0;const r=n.length;let o;t?o=t:o=e*n[r-1];let a=0,l=r-1,c;for(;a<=l;)if(s=Math.floor(a+(l-a)/2),c=n[s]-o,c<0)a=s+1;else if(c>0)l=s-1;else{l=s;break}if(s=l,n[s]===o)return s/(r-1);const u=n[s],f=n[s+1]-u,m=(o-u)/f;return(s+m)/(r-1)}getTangent(e,t){let s=e-1e-4,r=e+1e-4;s<0&&(s=0),r>1&&(r=1);const o=this.getPoint(s),a=this.getPoint(r),l=t||(o.isVector2?new ze:new $);return l.copy(a).sub(o).normalize(),l}getTangentAt(e,t){const n=this.getUtoTmapping(e);return this.getTangent(n,t)}computeFrenetFrames(e,t){const n=new $,s=[],r=[],o=[],a=new $,l=new Bt;for(let m=0;m<=e;m++){const _=m/e;s[m]=this.getTangentAt(_,new $)}r[0]=new $,o[0]=new $;let c=Number.MAX_VALUE;const u=Math.abs(s[0].x),h=Math.abs(s[0].y),f=Math.abs(s[0].z);u<=c&&(c=u,n.set(1,0,0)),h<=c&&(c=h,n.set(0,1,0)),f<=c&&n.set(0,0,1),a.crossVectors(s[0],n).normalize(),r[0].crossVectors(s[0],a),o[0].crossVectors(s[0],r[0]);for(let m=1;m<=e;m++){if(r[m]=r[m-1].clone(),o[m]=o[m-1].clone(),a.crossVectors(s[m-1],s[m]),a.length()>Number.EPSILON){a.normalize();const _=Math.acos(cn(s[m-1].dot(s[m]),-1,1));r[m].applyMatrix4(l.makeRotationAxis(a,_))}o[m].crossVectors(s[m],r[m])}if(t===!0){let m=Math.acos(cn(r[0].dot(r[e]),-1,1));m/=e,s[0].dot(a.crossVectors(r[0],r[e]))>0&&(m=-m);for(let _=1;_<=e;_++)r[_].applyMatrix4(l.makeRotationAxis(s[_],m*_)),o[_].crossVectors(s[_],r[_])}return{tangents:s,normals:r,binormals:o}}clone(){return new this.constructor().copy(this)}copy(e){return this.arcLengthDivisions=e.arcLengthDivisions,this}toJSON(){const e={metadata:{version:4.6,type:"Curve",generator:"Curve.toJSON"}};return e.arcLengthDivisions=this.arcLengthDivisions,e.type=this.type,e}fromJSON(e){return this.arcLengthDivisions=e.arcLengthDivisions,this}}class pd extends Bi{constructor(e=0,t=0,n=1,s=1,r=0,o=Math.PI*2,a=!1,l=0){super(),this.isEllipseCurve=!0,this.type="EllipseCurve",this.aX=e,this.aY=t,this.xRadius=n,this.yRadius=s,this.aStartAngle=r,this.aEndAngle=o,this.aClockwise=a,this.aRotation=l}getPoint(e,t=new ze){const n=t,s=Math.PI*2;let r=this.aEndAngle-this.aStartAngle;const o=Math.abs(r)<Number.EPSILON;for(;r<0;)r+=s;for(;r>s;)r-=s;r<Number.EPSILON&&(o?r=0:r=s),this.aClockwise===!0&&!o&&(r===s?r=-s:r=r-s);const a=this.aStartAngle+e*r;let l=this.aX+this.xRadius*Math.cos(a),c=this.aY+this.yRadius*Math.sin(a);if(this.aRotation!==0){const u=Math.cos(this.aRotation),h=Math.sin(this.aRotation),f=l-this.aX,m=c-this.aY;l=f*u-m*h+this.aX,c=f*h+m*u+this.aY}return n.set(l,c)}copy(e){return super.copy(e),this.aX=e.aX,this.aY=e.aY,this.xRadius=e.xRadius,this.yRadius=e.yRadius,this.aStartAngle=e.aStartAngle,this.aEndAngle=e.aEndAngle,this.aClockwise=e.aClockwise,this.aRotation=e.aRotation,this}toJSON(){const e=super.toJSON();return e.aX=this.aX,e.aY=this.aY,e.xRadius=this.xRadius,e.yRadius=this.yRadius,e.aStartAngle=this.aStartAngle,e.aEndAngle=this.aEndAngle,e.aClockwise=this.aClockwise,e.aRotation=this.aRotation,e}fromJSON(e){return super.fromJSON(e),this.aX=e.aX,this.aY=e.aY,this.xRadius=e.xRadius,this.yRadius=e.yRadius,this.aStartAngle=e.aStartAngle,this.aEndAngle=e.aEndAngle,this.aClockwise=e.aClockwise,this.aRotation=e.aRotation,this}}class hM extends pd{constructor(e,t,n,s,r,o){super(e,t,n,n,s,r,o),this.isArcCurve=!0,this.type="ArcCurve"}}function lc(){let i=0,e=0,t=0,n=0;function s(r,o,a,l){i=r,e=a,t=-3*r+3*o-2*a-l,n=2*r-2*o+a+l}return{initCatmullRom:function(r,o,a,l,c){s(o,a,c*(a-r),c*(l-o))},initNonuniformCatmullRom:function(r,o,a,l,c,u,h){let f=(o-r)/c-(a-r)/(c+u)+(a-o)/u,m=(a-o)/u-(l-o)/(u+h)+(l-a)/h;f*=u,m*=u,s(o,a,f,m)},calc:function(r){const o=r*r,a=o*r;return i+e*r+t*o+n*a}}}const Fo=new $,xl=new lc,Ml=new lc,Sl=new lc;class fM extends Bi{constructor(e=[],t=!1,n="centripetal",s=.5){super(),this.isCatmullRomCurve3=!0,this.type="CatmullRomCurve3",this.points=e,this.closed=t,this.curveType=n,this.tension=s}getPoint(e,t=new $){const n=t,s=this.points,r=s.length,o=(r-(this.closed?0:1))*e;let a=Math.floor(o),l=o-a;this.closed?a+=a>0?0:(Math.floor(Math.abs(a)/r)+1)*r:l===0&&a===r-1&&(a=r-2,l=1);let c,u;this.closed||a>0?c=s[(a-1)%r]:(Fo.subVectors(s[0],s[1]).add(s[0]),c=Fo);const h=s[a%r],f=s[(a+1)%r];if(this.closed||a+2<r?u=s[(a+2)%r]:(Fo.subVectors(s[r-1],s[r-2]).add(s[r-1]),u=Fo),this.curveType==="centripetal"||this.curveType==="chordal"){const m=this.curveType==="chordal"?.5:.25;let _=Math.pow(c.distanceToSquared(h),m),v=Math.pow(h.distanceToSquared(f),m),p=Math.pow(f.distanceToSquared(u),m);v<1e-4&&(v=1),_<1e-4&&(_=v),p<1e-4&&(p=v),xl.initNonuniformCatmullRom(c.x,h.x,f.x,u.x,_,v,p),Ml.initNonuniformCatmullRom(c.y,h.y,f.y,u.y,_,v,p),Sl.initNonuniformCatmullRom(c.z,h.z,f.z,u.z,_,v,p)}else this.curveType==="catmullrom"&&(xl.initCatmullRom(c.x,h.x,f.x,u.x,this.tension),Ml.initCatmullRom(c.y,h.y,f.y,u.y,this.tension),Sl.initCatmullRom(c.z,h.z,f.z,u.z,this.tension));return n.set(xl.calc(l),Ml.calc(l),Sl.calc(l)),n}copy(e){super.copy(e),this.points=[];for(let t=0,n=e.points.length;t<n;t++){const s=e.points[t];this.points.push(s.clone())}return this.closed=e.closed,this.curveType=e.curveType,this.tension=e.tension,this}toJSON(){const e=super.toJSON();e.points=[];for(let t=0,n=this.points.length;t<n;t++){const s=this.points[t];e.points.push(s.toArray())}return e.closed=this.closed,e.curveType=this.curveType,e.tension=this.tension,e}fromJSON(e){super.fromJSON(e),this.points=[];for(let t=0,n=e.points.length;t<n;t++){const s=e.points[t];this.points.push(new $().fromArray(s))}return this.closed=e.closed,this.curveType=e.curveType,this.tension=e.tension,this}}function vh(i,e,t,n,s){const r=(n-e)*.5,o=(s-t)*.5,a=i*i,l=i*a;return(2*t-2*n+r+o)*l+(-3*t+3*n-2*r-o)*a+r*i+t}function dM(i,e){const t=1-i;return t*t*e}function pM(i,e){return 2*(1-i)*i*e}function mM(i,e){return i*i*e}function qr(i,e,t,n){return dM(i,e)+pM(i,t)+mM(i,n)}function gM(i,e){const t=1-i;return t*t*t*e}function _M(i,e){const t=1-i;return 3*t*t*i*e}function vM(i,e){return 3*(1-i)*i*i*e}function xM(i,e){return i*i*i*e}function jr(i,e,t,n,s){return gM(i,e)+_M(i,t)+vM(i,n)+xM(i,s)}class MM extends Bi{constructor(e=new ze,t=new ze,n=new ze,s=new ze){super(),this.isCubicBezierCurve=!0,this.type="CubicBezierCurve",this.v0=e,this.v1=t,this.v2=n,this.v3=s}getPoint(e,t=new ze){const n=t,s=this.v0,r=this.v1,o=this.v2,a=this.v3;return n.set(jr(e,s.x,r.x,o.x,a.x),jr(e,s.y,r.y,o.y,a.y)),n}copy(e){return super.copy(e),this.v0.copy(e.v0),this.v1.copy(e.v1),this.v2.copy(e.v2),this.v3.copy(e.v3),this}toJSON(){const e=super.toJSON();return e.v0=this.v0.toArray(),e.v1=this.v1.toArray(),e.v2=this.v2.toArray(),e.v3=this.v3.toArray(),e}fromJSON(e){return super.fromJSON(e),this.v0.fromArray(e.v0),this.v1.fromArray(e.v1),this.v2.fromArray(e.v2),this.v3.fromArray(e.v3),this}}class SM extends Bi{constructor(e=new $,t=new $,n=new $,s=new $){super(),this.isCubicBezierCurve3=!0,this.type="CubicBezierCurve3",this.v0=e,this.v1=t,this.v2=n,this.v3=s}getPoint(e,t=new $){const n=t,s=this.v0,r=this.v1,o=this.v2,a=this.v3;return n.set(jr(e,s.x,r.x,o.x,a.x),jr(e,s.y,r.y,o.y,a.y),jr(e,s.z,r.z,o.z,a.z)),n}copy(e){return super.copy(e),this.v0.copy(e.v0),this.v1.copy(e.v1),this.v2.copy(e.v2),this.v3.copy(e.v3),this}toJSON(){const e=super.toJSON();return e.v0=this.v0.toArray(),e.v1=this.v1.toArray(),e.v2=this.v2.toArray(),e.v3=this.v3.toArray(),e}fromJSON(e){return super.fromJSON(e),this.v0.fromArray(e.v0),this.v1.fromArray(e.v1),this.v2.fromArray(e.v2),this.v3.fromArray(e.v3),this}}class yM extends Bi{constructor(e=new ze,t=new ze){super(),this.isLineCurve=!0,this.type="LineCurve",this.v1=e,this.v2=t}getPoint(e,t=new ze){const n=t;return e===1?n.copy(this.v2):(n.copy(this.v2).sub(this.v1),n.multiplyScalar(e).add(this.v1)),n}getPointAt(e,t){return this.getPoint(e,t)}getTangent(e,t=new ze){return t.subVectors(this.v2,this.v1).normalize()}getTangentAt(e,t){return this.getTangent(e,t)}copy(e){return super.copy(e),this.v1.copy(e.v1),this.v2.copy(e.v2),this}toJSON(){const e=super.toJSON();return e.v1=this.v1.toArray(),e.v2=this.v2.toArray(),e}fromJSON(e){return super.fromJSON(e),this.v1.fromArray(e.v1),this.v2.fromArray(e.v2),this}}class EM extends Bi{constructor(e=new $,t=new $){super(),this.isLineCurve3=!0,this.type="LineCurve3",this.v1=e,this.v2=t}getPoint(e,t=new $){const n=t;return e===1?n.copy(this.v2):(n.copy(this.v2).sub(this.v1),n.multiplyScalar(e).add(this.v1)),n}getPointAt(e,t){return this.getPoint(e,t)}getTangent(e,t=new $){return t.subVectors(this.v2,this.v1).normalize()}getTangentAt(e,t){return this.getTangent(e,t)}copy(e){return super.copy(e),this.v1.copy(e.v1),this.v2.copy(e.v2),this}toJSON(){const e=super.toJSON();return e.v1=this.v1.toArray(),e.v2=this.v2.toArray(),e}fromJSON(e){return super.fromJSON(e),this.v1.fromArray(e.v1),this.v2.fromArray(e.v2),this}}class bM extends Bi{constructor(e=new ze,t=new ze,n=new ze){super(),this.isQuadraticBezierCurve=!0,this.type="QuadraticBezierCurve",this.v0=e,this.v1=t,this.v2=n}getPoint(e,t=new ze){const n=t,s=this.v0,r=this.v1,o=this.v2;return n.set(qr(e,s.x,r.x,o.x),qr(e,s.y,r.y,o.y)),n}copy(e){return super.copy(e),this.v0.copy(e.v0),this.v1.copy(e.v1),this.v2.copy(e.v2),this}toJSON(){const e=super.toJSON();return e.v0=this.v0.toArray(),e.v1=this.v1.toArray(),e.v2=this.v2.toArray(),e}fromJSON(e){return super.fromJSON(e),this.v0.fromArray(e.v0),this.v1.fromArray(e.v1),this.v2.fromArray(e.v2),this}}class cc extends Bi{constructor(e=new $,t=new $,n=new $){super(),this.isQuadraticBezierCurve3=!0,this.type="QuadraticBezierCurve3",this.v0=e,this.v1=t,this.v2=n}getPoint(e,t=new $){const n=t,s=this.v0,r=this.v1,o=this.v2;return n.set(qr(e,s.x,r.x,o.x),qr(e,s.y,r.y,o.y),qr(e,s.z,r.z,o.z)),n}copy(e){return super.copy(e),this.v0.copy(e.v0),this.v1.copy(e.v1),this.v2.copy(e.v2),this}toJSON(){const e=super.toJSON();return e.v0=this.v0.toArray(),e.v1=this.v1.toArray(),e.v2=this.v2.toArray(),e}fromJSON(e){return super.fromJSON(e),this.v0.fromArray(e.v0),this.v1.fromArray(e.v1),this.v2.fromArray(e.v2),this}}class wM extends Bi{constructor(e=[]){super(),this.isSplineCurve=!0,this.type="SplineCurve",this.points=e}getPoint(e,t=new ze){const n=t,s=this.points,r=(s.length-1)*e,o=Math.floor(r),a=r-o,l=s[o===0?o:o-1],c=s[o],u=s[o>s.length-2?s.length-1:o+1],h=s[o>s.length-3?s.length-1:o+2];return n.set(vh(a,l.x,c.x,u.x,h.x),vh(a,l.y,c.y,u.y,h.y)),n}copy(e){super.copy(e),this.points=[];for(let t=0,n=e.points.length;t<n;t++){const s=e.points[t];this.points.push(s.clone())}return this}toJSON(){const e=super.toJSON();e.points=[];for(let t=0,n=this.points.length;t<n;t++){const s=this.points[t];e.points.push(s.toArray())}return e}fromJSON(e){super.fromJSON(e),this.points=[];for(let t=0,n=e.points.length;t<n;t++){const s=e.points[t];this.points.push(new ze().fromArray(s))}return this}}var TM=Object.freeze({__proto__:null,ArcCurve:hM,CatmullRomCurve3:fM,CubicBezierCurve:MM,CubicBezierCurve3:SM,EllipseCurve:pd,LineCurve:yM,LineCurve3:EM,QuadraticBezierCurve:bM,QuadraticBezierCurve3:cc,SplineCurve:wM});class pa extends ui{constructor(e=1,t=1,n=1,s=32,r=1,o=!1,a=0,l=Math.PI*2){super(),this.type="CylinderGeometry",this.parameters={radiusTop:e,radiusBottom:t,height:n,radialSegments:s,heightSegments:r,openEnded:o,thetaStart:a,thetaLength:l};const c=this;s=Math.floor(s),r=Math.floor(r);const u=[],h=[],f=[],m=[];let _=0;const v=[],p=n/2;let d=0;y(),o===!1&&(e>0&&x(!0),t>0&&x(!1)),this.setIndex(u),this.setAttribute("position",new zn(h,3)),this.setAttribute("normal",new zn(f,3)),this.setAttribute("uv",new zn(m,2));function y(){const b=new $,H=new $;let T=0;const R=(t-e)/n;for(let z=0;z<=r;z++){const w=[],M=z/r,U=M*(t-e)+e;for(let G=0;G<=s;G++){const N=G/s,Z=N*l+a,X=Math.sin(Z),se=Math.cos(Z);H.x=U*X,H.y=-M*n+p,H.z=U*se,h.push(H.x,H.y,H.z),b.set(X,R,se).normalize(),f.push(b.x,b.y,b.z),m.push(N,1-M),w.push(_++)}v.push(w)}for(let z=0;z<s;z++)for(let w=0;w<r;w++){const M=v[w][z],U=v[w+1][z],G=v[w+1][z+1],N=v[w][z+1];u.push(M,U,N),u.push(U,G,N),T+=6}c.addGroup(d,T,0),d+=T}function x(b){const H=_,T=new ze,R=new $;let z=0;const w=b===!0?e:t,M=b===!0?1:-1;for(let G=1;G<=s;G++)h.push(0,p*M,0),f.push(0,M,0),m.push(.5,.5),_++;const U=_;for(let G=0;G<=s;G++){const Z=G/s*l+a,X=Math.cos(Z),se=Math.sin(Z);R.x=w*se,R.y=p*M,R.z=w*X,h.push(R.x,R.y,R.z),f.push(0,M,0),T.x=X*.5+.5,T.y=se*.5*M+.5,m.push(T.x,T.y),_++}for(let G=0;G<s;G++){const N=H+G,Z=U+G;b===!0?u.push(Z,Z+1,N):u.push(Z+1,Z,N),z+=3}c.addGroup(d,z,b===!0?1:2),d+=z}}copy(e){return super.copy(e),this.parameters=Object.assign({},e.parameters),this}static fromJSON(e){return new pa(e.radiusTop,e.radiusBottom,e.height,e.radialSegments,e.heightSegments,e.openEnded,e.thetaStart,e.thetaLength)}}class uc extends pa{constructor(e=1,t=1,n=32,s=1,r=!1,o=0,a=Math.PI*2){super(0,e,t,n,s,r,o,a),this.type="ConeGeometry",this.parameters={radius:e,height:t,radialSegments:n,heightSegments:s,openEnded:r,thetaStart:o,thetaLength:a}}static fromJSON(e){return new uc(e.radius,e.height,e.radialSegments,e.heightSegments,e.openEnded,e.thetaStart,e.thetaLength)}}class hc extends ui{constructor(e=new cc(new $(-1,-1,0),new $(-1,1,0),new $(1,1,0)),t=64,n=1,s=8,r=!1){super(),this.type="TubeGeometry",this.parameters={path:e,tubularSegments:t,radius:n,radialSegments:s,closed:r};const o=e.computeFrenetFrames(t,r);this.tangents=o.tangents,this.normals=o.normals,this.binormals=o.binormals;const a=new $,l=new $,c=new ze;let u=new $;const h=[],f=[],m=[],_=[];v(),this.setIndex(_),this.setAttribute("position",new zn(h,3)),this.setAttribute("normal",new zn(f,3)),this.setAttribute("uv",new zn(m,2));function v(){for(let x=0;x<t;x++)p(x);p(r===!1?t:0),y(),d()}function p(x){u=e.getPointAt(x/t,u);const b=o.normals[x],H=o.binormals[x];for(let T=0;T<=s;T++){const R=T/s*Math.PI*2,z=Math.sin(R),w=-Math.cos(R);l.x=w*b.x+z*H.x,l.y=w*b.y+z*H.y,l.z=w*b.z+z*H.z,l.normalize(),f.push(l.x,l.y,l.z),a.x=u.x+n*l.x,a.y=u.y+n*l.y,a.z=u.z+n*l.z,h.push(a.x,a.y,a.z)}}function d(){for(let x=1;x<=t;x++)for(let b=1;b<=s;b++){const H=(s+1)*(x-1)+(b-1),T=(s+1)*x+(b-1),R=(s+1)*x+b,z=(s+1)*(x-1)+b;_.push(H,T,z),_.push(T,R,z)}}function y(){for(let x=0;x<=t;x++)for(let b=0;b<=s;b++)c.x=x/t,c.y=b/s,m.push(c.x,c.y)}}copy(e){return super.copy(e),this.parameters=Object.assign({},e.parameters),this}toJSON(){const e=super.toJSON();return e.path=this.parameters.path.toJSON(),e}static fromJSON(e){return new hc(new TM[e.path.type]().fromJSON(e.path),e.tubularSegments,e.radius,e.radialSegments,e.closed)}}class AM extends ui{constructor(){super(),this.isInstancedBufferGeometry=!0,this.type="InstancedBufferGeometry",this.instanceCount=1/0}copy(e){return super.copy(e),this.instanceCount=e.instanceCount,this}toJSON(){const e=super.toJSON();return e.instanceCount=this.instanceCount,e.isInstancedBufferGeometry=!0,e}}const xh=new Bt;class RM{constructor(e,t,n=0,s=1/0){this.ray=new rc(e,t),this.near=n,this.far=s,this.camera=null,this.layers=new oc,this.params={Mesh:{},Line:{threshold:1},LOD:{},Points:{threshold:1},Sprite:{}}}set(e,t){this.ray.set(e,t)}setFromCamera(e,t){t.isPerspectiveCamera?(this.ray.origin.setFromMatrixPosition(t.matrixWorld),this.ray.direction.set(e.x,e.y,.5).unproject(t).sub(this.ray.origin).normalize(),this.camera=t):t.isOrthographicCamera?(this.ray.origin.set(e.x,e.y,(t.near+t.far)/(t.near-t.far)).unproject(t),this.ray.direction.set(0,0,-1).transformDirection(t.matrixWorld),this.camera=t):console.error("THREE.Raycaster: Unsupported camera type: "+t.type)}setFromXRController(e){return xh.identity().extractRotation(e.matrixWorld),this.ray.origin.setFromMatrixPosition(e.matrixWorld),this.ray.direction.set(0,0,-1).applyMatrix4(xh),this}intersectObject(e,t=!0,n=[]){return Vl(e,this,n,t),n.sort(Mh),n}intersectObjects(e,t=!0,n=[]){for(let s=0,r=e.length;s<r;s++)Vl(e[s],this,n,t);return n.sort(Mh),n}}function Mh(i,e){return i.distance-e.distance}function Vl(i,e,t,n){if(i.layers.test(e.layers)&&i.raycast(e,t),n===!0){const s=i.children;for(let r=0,o=s.length;r<o;r++)Vl(s[r],e,t,!0)}}class Sh{constructor(e=1,t=0,n=0){return this.radius=e,this.phi=t,this.theta=n,this}set(e,t,n){return this.radius=e,this.phi=t,this.theta=n,this}copy(e){return this.radius=e.radius,this.phi=e.phi,this.theta=e.theta,this}makeSafe(){return this.phi=Math.max(1e-6,Math.min(Math.PI-1e-6,this.phi)),this}setFromVector3(e){return this.setFromCartesianCoords(e.x,e.y,e.z)}setFromCartesianCoords(e,t,n){return this.radius=Math.sqrt(e*e+t*t+n*n),this.radius===0?(this.theta=0,this.phi=0):(this.theta=Math.atan2(e,n),this.phi=Math.acos(cn(t/this.radius,-1,1))),this}clone(){return new this.constructor().copy(this)}}typeof __THREE_DEVTOOLS__<"u"&&__THREE_DEVTOOLS__.dispatchEvent(new CustomEvent("register",{detail:{revision:nc}}));typeof window<"u"&&(window.__THREE__?console.warn("WARNING: Multiple instances of Three.js being imported."):window.__THREE__=nc);class md{colours;scales;constructor(e){this.colours=new Uint8Array(3*e),this.scales=new Float32Array(e).fill(1)}}const CM=[.8,1,.66],PM=`
  attribute float shade, grow;
  attribute vec3 middle, tint;
  varying vec3 colour;
  void main() {
    vec3 side = step(0.0, cameraPosition - middle) * 2.0 - 1.0;
    bool is_bottom = shade == 1.0 && side.y < 0.0;
    colour = tint * (is_bottom ? 0.55 : shade);
    gl_Position = projectionMatrix * viewMatrix * vec4(middle + position * side * grow, 1.0);
  }`,LM=`
  uniform float opacity;
  varying vec3 colour;
  void main() { gl_FragColor = vec4(colour, opacity); }`;class yh{constructor(e,t,n=1){this.layout=e,this.middles=new vl(new Float32Array(3*t),3),this.tints=new vl(new Uint8Array(3*t),3,!0),this.scales=new vl(new Float32Array(t),1);for(const c of[this.middles,this.tints,this.scales])c.setUsage(Km);const s=new AM,r=[],o=[],a=[];for(let c=0;c<3;++c){a.push(...[0,1,2,2,1,3].map(u=>c*4+u));for(const[u,h]of[[-1,-1],[1,-1],[-1,1],[1,1]]){const f=[1,1,1];f[(c+1)%3]=u,f[(c+2)%3]=h,r.push(...f.map((m,_)=>m*e.cell[_]/2)),o.push(CM[c])}}s.setIndex(a),s.setAttribute("position",new En(new Float32Array(r),3)),s.setAttribute("shade",new En(new Float32Array(o),1)),s.setAttribute("middle",this.middles),s.setAttribute("tint",this.tints),s.setAttribute("grow",this.scales),s.instanceCount=0;const l=n===1;this.mesh=new Rn(s,new yi({vertexShader:PM,fragmentShader:LM,side:ai,uniforms:{opacity:{value:n}},transparent:!l,depthTest:l,depthWrite:l})),this.mesh.frustumCulled=!1}mesh;middles;tints;scales;ranks=[];place(e){this.ranks=e;const{middles:t}=this.layout;for(let n=0;n<e.length;++n)for(let s=0;s<3;++s)this.middles.array[3*n+s]=t[3*e[n]+s];this.middles.needsUpdate=!0,this.mesh.geometry.instanceCount=e.length}paint({colours:e,scales:t}){for(let n=0;n<this.ranks.length;++n){const s=this.ranks[n];for(let r=0;r<3;++r)this.tints.array[3*n+r]=e[3*s+r];this.scales.array[n]=t[s]}this.tints.needsUpdate=this.scales.needsUpdate=!0}destroy(){this.mesh.geometry.dispose(),this.mesh.material.dispose()}}const Gl={compute:"computes slowly",input:"waits for data",launch:"starts transfers late",wire:"slow wire"};function gd(i,{tensor:e,context:t,data:n}){return{tensor:i%e,context:Math.floor(i/e)%t,data:Math.floor(i/(e*t))%n,pipeline:Math.floor(i/(e*t*n))}}async function Qr(i,e,t){const{rank:n,host:s,work:r,hosts:o,...a}=await kn(`/api/runs/${i.id}/ranks?steps=${e}&columns=${encodeURIComponent(t)}`),l=i.job??{tensor:1,context:1,data:1};return{...a,ranks:n.map((c,u)=>({rank:c,host:o[s[u]],work:r[u],at:gd(c,l)}))}}function _d({ranks:i,all:e}){return I("div.muted",{},`Records of ${i.toLocaleString("en")} of ${e.toLocaleString("en")} ranks are read so far; the others follow.`)}function DM(i){const e=[...i].sort((t,n)=>t-n);return e[Math.floor((e.length-1)/2)]}function vd(i,e){const t=new Map;i.ranks.forEach((s,r)=>{const o=t.get(s.work);o?o.push(e.values[r]):t.set(s.work,[e.values[r]])});const n=new Map([...t].map(([s,r])=>[s,DM(r)]));return i.ranks.map((s,r)=>{const o=n.get(s.work),a=e.values[r];return{row:s,value:a,excess:e.unit==="ratio"?o-a:o>0?a/o-1:0}})}function $o({data:i,tensor:e,context:t,pipeline:n}){return`data ${i} · tensor ${e}${t?` · context ${t}`:""} · stage ${n}`}function fc(i){return["data","tensor","context","pipeline"].filter(t=>i[t]>1).map(t=>`${t} ${i[t]}`).join(" · ")||"one rank does all"}function Eh(i){return`${i.host||"host unknown"} · ${$o(i.at)}`}function bh(i,e=6){const t=[];for(let n=0;n<i.length;){let s=n;for(;s+1<i.length&&i[s+1]===i[s]+1;)++s;t.push(s===n?String(i[n]):`${i[n]}${s===n+1?", ":"-"}${i[s]}`),n=s+1}return t.length<=e?t.join(", "):`${t.slice(0,3).join(", ")} … ${t.at(-1)} (${i.length})`}const UM=.28,IM=[.2,.24,.42],NM=14;class OM{constructor(e){this.job=e,this.counts=[e.data*e.context,e.tensor,e.pipeline],this.world=this.counts[0]*this.counts[1]*this.counts[2];const t=Math.max(...this.counts);this.place=this.counts.map((n,s)=>n===1?1:Math.max(1,Math.min(NM,IM[s]*t/n))),this.cell=this.place.map(n=>n*(1-UM)),this.middles=new Float32Array(3*this.world);for(let n=0;n<this.world;++n){const[s,r,o]=this.cell_of(n);this.middles[3*n]=(s-(this.counts[0]-1)/2)*this.place[0],this.middles[3*n+1]=(r-(this.counts[1]-1)/2)*this.place[1],this.middles[3*n+2]=((this.counts[2]-1)/2-o)*this.place[2]}}counts;place;cell;world;middles;at(e){return gd(e,this.job)}cell_of(e){const{tensor:t,context:n,data:s,pipeline:r}=this.at(e);return[s*this.job.context+n,t,r]}rank_at([e,t,n]){const{tensor:s}=this.job;return t+s*(e+this.counts[0]*n)}position(e){return[this.middles[3*e],this.middles[3*e+1],this.middles[3*e+2]]}get half(){return this.counts.map((e,t)=>e*this.place[t]/2)}neighbour(e,t,n){const s=this.cell_of(e);return s[t]=Math.max(0,Math.min(this.counts[t]-1,s[t]+n)),this.rank_at(s)}}const wh={type:"change"},yl={type:"start"},Th={type:"end"},ko=new rc,Ah=new Ki,FM=Math.cos(70*Jm.DEG2RAD);class kM extends Cs{constructor(e,t){super(),this.object=e,this.domElement=t,this.domElement.style.touchAction="none",this.enabled=!0,this.target=new $,this.cursor=new $,this.minDistance=0,this.maxDistance=1/0,this.minZoom=0,this.maxZoom=1/0,this.minTargetRadius=0,this.maxTargetRadius=1/0,this.minPolarAngle=0,this.maxPolarAngle=Math.PI,this.minAzimuthAngle=-1/0,this.maxAzimuthAngle=1/0,this.enableDamping=!1,this.dampingFactor=.05,this.enableZoom=!0,this.zoomSpeed=1,this.enableRotate=!0,this.rotateSpeed=1,this.enablePan=!0,this.panSpeed=1,this.screenSpacePanning=!0,this.keyPanSpeed=7,this.zoomToCursor=!1,this.autoRotate=!1,this.autoRotateSpeed=2,this.keys={LEFT:"ArrowLeft",UP:"ArrowUp",RIGHT:"ArrowRight",BOTTOM:"ArrowDown"},this.mouseButtons={LEFT:Gs.ROTATE,MIDDLE:Gs.DOLLY,RIGHT:Gs.PAN},this.touches={ONE:Ws.ROTATE,TWO:Ws.DOLLY_PAN},this.target0=this.target.clone(),this.position0=this.object.position.clone(),this.zoom0=this.object.zoom,this._domElementKeyEvents=null,this.getPolarAngle=function(){return a.phi},this.getAzimuthalAngle=function(){return a.theta},this.getDistance=function(){return this.object.position.distanceTo(this.target)},this.listenToKeyEvents=function(S){S.addEventListener("keydown",Xe),this._domElementKeyEvents=S},this.stopListenToKeyEvents=function(){this._domElementKeyEvents.removeEventListener("keydown",Xe),this._domElementKeyEvents=null},this.saveState=function(){n.target0.copy(n.target),n.position0.copy(n.object.position),n.zoom0=n.object.zoom},this.reset=function(){n.target.copy(n.target0),n.object.position.copy(n.position0),n.object.zoom=n.zoom0,n.object.updateProjectionMatrix(),n.dispatchEvent(wh),n.update(),r=s.NONE},this.update=function(){const S=new $,J=new As().setFromUnitVectors(e.up,new $(0,1,0)),re=J.clone().invert(),ge=new $,Re=new As,et=new $,it=2*Math.PI;return function(zt=null){const lt=n.object.position;S.copy(lt).sub(n.target),S.applyQuaternion(J),a.setFromVector3(S),n.autoRotate&&r===s.NONE&&G(M(zt)),n.enableDamping?(a.theta+=l.theta*n.dampingFactor,a.phi+=l.phi*n.dampingFactor):(a.theta+=l.theta,a.phi+=l.phi);let It=n.minAzimuthAngle,ut=n.maxAzimuthAngle;isFinite(It)&&isFinite(ut)&&(It<-Math.PI?It+=it:It>Math.PI&&(It-=it),ut<-Math.PI?ut+=it:ut>Math.PI&&(ut-=it),It<=ut?a.theta=Math.max(It,Math.min(ut,a.theta)):a.theta=a.theta>(It+ut)/2?Math.max(It,a.theta):Math.min(ut,a.theta)),a.phi=Math.max(n.minPolarAngle,Math.min(n.maxPolarAngle,a.phi)),a.makeSafe(),n.enableDamping===!0?n.target.addScaledVector(u,n.dampingFactor):n.target.add(u),n.target.sub(n.cursor),n.target.clampLength(n.minTargetRadius,n.maxTargetRadius),n.target.add(n.cursor);let wt=!1;if(n.zoomToCursor&&T||n.object.isOrthographicCamera)a.radius=q(a.radius);else{const Ut=a.radius;a.radius=q(a.radius*c),wt=Ut!=a.radius}if(S.setFromSpherical(a),S.applyQuaternion(re),lt.copy(n.target).add(S),n.object.lookAt(n.target),n.enableDamping===!0?(l.theta*=1-n.dampingFactor,l.phi*=1-n.dampingFactor,u.multiplyScalar(1-n.dampingFactor)):(l.set(0,0,0),u.set(0,0,0)),n.zoomToCursor&&T){let Ut=null;if(n.object.isPerspectiveCamera){const mn=S.length();Ut=q(mn*c);const hn=mn-Ut;n.object.position.addScaledVector(b,hn),n.object.updateMatrixWorld(),wt=!!hn}else if(n.object.isOrthographicCamera){const mn=new $(H.x,H.y,0);mn.unproject(n.object);const hn=n.object.zoom;n.object.zoom=Math.max(n.minZoom,Math.min(n.maxZoom,n.object.zoom/c)),n.object.updateProjectionMatrix(),wt=hn!==n.object.zoom;const Jt=new $(H.x,H.y,0);Jt.unproject(n.object),n.object.position.sub(Jt).add(mn),n.object.updateMatrixWorld(),Ut=S.length()}else console.warn("WARNING: OrbitControls.js encountered an unknown camera type - zoom to cursor disabled."),n.zoomToCursor=!1;Ut!==null&&(this.screenSpacePanning?n.target.set(0,0,-1).transformDirection(n.object.matrix).multiplyScalar(Ut).add(n.object.position):(ko.origin.copy(n.object.position),ko.direction.set(0,0,-1).transformDirection(n.object.matrix),Math.abs(n.object.up.dot(ko.direction))<FM?e.lookAt(n.target):(Ah.setFromNormalAndCoplanarPoint(n.object.up,n.target),ko.intersectPlane(Ah,n.target))))}else if(n.object.isOrthographicCamera){const Ut=n.object.zoom;n.object.zoom=Math.max(n.minZoom,Math.min(n.maxZoom,n.object.zoom/c)),Ut!==n.object.zoom&&(n.object.updateProjectionMatrix(),wt=!0)}return c=1,T=!1,wt||ge.distanceToSquared(n.object.position)>o||8*(1-Re.dot(n.object.quaternion))>o||et.distanceToSquared(n.target)>o?(n.dispatchEvent(wh),ge.copy(n.object.position),Re.copy(n.object.quaternion),et.copy(n.target),!0):!1}}(),this.dispose=function(){n.domElement.removeEventListener("contextmenu",Qe),n.domElement.removeEventListener("pointerdown",k),n.domElement.removeEventListener("pointercancel",ce),n.domElement.removeEventListener("wheel",he),n.domElement.removeEventListener("pointermove",A),n.domElement.removeEventListener("pointerup",ce),n.domElement.getRootNode().removeEventListener("keydown",Se,{capture:!0}),n._domElementKeyEvents!==null&&(n._domElementKeyEvents.removeEventListener("keydown",Xe),n._domElementKeyEvents=null)};const n=this,s={NONE:-1,ROTATE:0,DOLLY:1,PAN:2,TOUCH_ROTATE:3,TOUCH_PAN:4,TOUCH_DOLLY_PAN:5,TOUCH_DOLLY_ROTATE:6};let r=s.NONE;const o=1e-6,a=new Sh,l=new Sh;let c=1;const u=new $,h=new ze,f=new ze,m=new ze,_=new ze,v=new ze,p=new ze,d=new ze,y=new ze,x=new ze,b=new $,H=new ze;let T=!1;const R=[],z={};let w=!1;function M(S){return S!==null?2*Math.PI/60*n.autoRotateSpeed*S:2*Math.PI/60/60*n.autoRotateSpeed}function U(S){const J=Math.abs(S*.01);return Math.pow(.95,n.zoomSpeed*J)}function G(S){l.theta-=S}function N(S){l.phi-=S}const Z=function(){const S=new $;return function(re,ge){S.setFromMatrixColumn(ge,0),S.multiplyScalar(-re),u.add(S)}}(),X=function(){const S=new $;return function(re,ge){n.screenSpacePanning===!0?S.setFromMatrixColumn(ge,1):(S.setFromMatrixColumn(ge,0),S.crossVectors(n.object.up,S)),S.multiplyScalar(re),u.add(S)}}(),se=function(){const S=new $;return function(re,ge){const Re=n.domElement;if(n.object.isPerspectiveCamera){const et=n.object.position;S.copy(et).sub(n.target);let it=S.length();it*=Math.tan(n.object.fov/2*Math.PI/180),Z(2*re*it/Re.clientHeight,n.object.matrix),X(2*ge*it/Re.clientHeight,n.object.matrix)}else n.object.isOrthographicCamera?(Z(re*(n.object.right-n.object.left)/n.object.zoom/Re.clientWidth,n.object.matrix),X(ge*(n.object.top-n.object.bottom)/n.object.zoom/Re.clientHeight,n.object.matrix)):(console.warn("WARNING: OrbitControls.js encountered an unknown camera type - pan disabled."),n.enablePan=!1)}}();function te(S){n.object.isPerspectiveCamera||n.object.isOrthographicCamera?c/=S:(console.warn("WARNING: OrbitControls.js encountered an unknown camera type - dolly/zoom disabled."),n.enableZoom=!1)}function ne(S){n.object.isPerspectiveCamera||n.object.isOrthographicCamera?c*=S:(console.warn("WARNING: OrbitControls.js encountered an unknown camera type - dolly/zoom disabled."),n.enableZoom=!1)}function Y(S,J){if(!n.zoomToCursor)return;T=!0;const re=n.domElement.getBoundingClientRect(),ge=S-re.left,Re=J-re.top,et=re.width,it=re.height;H.x=ge/et*2-1,H.y=-(Re/it)*2+1,b.set(H.x,H.y,1).unproject(n.object).sub(n.object.position).normalize()}function q(S){return Math.max(n.minDistance,Math.min(n.maxDistance,S))}function fe(S){h.set(S.clientX,S.clientY)}function P(S){Y(S.clientX,S.clientX),d.set(S.clientX,S.clientY)}function V(S){_.set(S.clientX,S.clientY)}function D(S){f.set(S.clientX,S.clientY),m.subVectors(f,h).multiplyScalar(n.rotateSpeed);const J=n.domElement;G(2*Math.PI*m.x/J.clientHeight),N(2*Math.PI*m.y/J.clientHeight),h.copy(f),n.update()}function K(S){y.set(S.clientX,S.clientY),x.subVectors(y,d),x.y>0?te(U(x.y)):x.y<0&&ne(U(x.y)),d.copy(y),n.update()}function ae(S){v.set(S.clientX,S.clientY),p.subVectors(v,_).multiplyScalar(n.panSpeed),se(p.x,p.y),_.copy(v),n.update()}function B(S){Y(S.clientX,S.clientY),S.deltaY<0?ne(U(S.deltaY)):S.deltaY>0&&te(U(S.deltaY)),n.update()}function Q(S){let J=!1;switch(S.code){case n.keys.UP:S.ctrlKey||S.metaKey||S.shiftKey?N(2*Math.PI*n.rotateSpeed/n.domElement.clientHeight):se(0,n.keyPanSpeed),J=!0;break;case n.keys.BOTTOM:S.ctrlKey||S.metaKey||S.shiftKey?N(-2*Math.PI*n.rotateSpeed/n.domElement.clientHeight):se(0,-n.keyPanSpeed),J=!0;break;case n.keys.LEFT:S.ctrlKey||S.metaKey||S.shiftKey?G(2*Math.PI*n.rotateSpeed/n.domElement.clientHeight):se(n.keyPanSpeed,0),J=!0;break;case n.keys.RIGHT:S.ctrlKey||S.metaKey||S.shiftKey?G(-2*Math.PI*n.rotateSpeed/n.domElement.clientHeight):se(-n.keyPanSpeed,0),J=!0;break}J&&(S.preventDefault(),n.update())}function j(S){if(R.length===1)h.set(S.pageX,S.pageY);else{const J=ht(S),re=.5*(S.pageX+J.x),ge=.5*(S.pageY+J.y);h.set(re,ge)}}function F(S){if(R.length===1)_.set(S.pageX,S.pageY);else{const J=ht(S),re=.5*(S.pageX+J.x),ge=.5*(S.pageY+J.y);_.set(re,ge)}}function _e(S){const J=ht(S),re=S.pageX-J.x,ge=S.pageY-J.y,Re=Math.sqrt(re*re+ge*ge);d.set(0,Re)}function xe(S){n.enableZoom&&_e(S),n.enablePan&&F(S)}function be(S){n.enableZoom&&_e(S),n.enableRotate&&j(S)}function Me(S){if(R.length==1)f.set(S.pageX,S.pageY);else{const re=ht(S),ge=.5*(S.pageX+re.x),Re=.5*(S.pageY+re.y);f.set(ge,Re)}m.subVectors(f,h).multiplyScalar(n.rotateSpeed);const J=n.domElement;G(2*Math.PI*m.x/J.clientHeight),N(2*Math.PI*m.y/J.clientHeight),h.copy(f)}function Ce(S){if(R.length===1)v.set(S.pageX,S.pageY);else{const J=ht(S),re=.5*(S.pageX+J.x),ge=.5*(S.pageY+J.y);v.set(re,ge)}p.subVectors(v,_).multiplyScalar(n.panSpeed),se(p.x,p.y),_.copy(v)}function Ie(S){const J=ht(S),re=S.pageX-J.x,ge=S.pageY-J.y,Re=Math.sqrt(re*re+ge*ge);y.set(0,Re),x.set(0,Math.pow(y.y/d.y,n.zoomSpeed)),te(x.y),d.copy(y);const et=(S.pageX+J.x)*.5,it=(S.pageY+J.y)*.5;Y(et,it)}function Ke(S){n.enableZoom&&Ie(S),n.enablePan&&Ce(S)}function pt(S){n.enableZoom&&Ie(S),n.enableRotate&&Me(S)}function k(S){n.enabled!==!1&&(R.length===0&&(n.domElement.setPointerCapture(S.pointerId),n.domElement.addEventListener("pointermove",A),n.domElement.addEventListener("pointerup",ce)),!Ve(S)&&(Be(S),S.pointerType==="touch"?Te(S):pe(S)))}function A(S){n.enabled!==!1&&(S.pointerType==="touch"?ke(S):ve(S))}function ce(S){switch(Pe(S),R.length){case 0:n.domElement.releasePointerCapture(S.pointerId),n.domElement.removeEventListener("pointermove",A),n.domElement.removeEventListener("pointerup",ce),n.dispatchEvent(Th),r=s.NONE;break;case 1:const J=R[0],re=z[J];Te({pointerId:J,pageX:re.x,pageY:re.y});break}}function pe(S){let J;switch(S.button){case 0:J=n.mouseButtons.LEFT;break;case 1:J=n.mouseButtons.MIDDLE;break;case 2:J=n.mouseButtons.RIGHT;break;default:J=-1}switch(J){case Gs.DOLLY:if(n.enableZoom===!1)return;P(S),r=s.DOLLY;break;case Gs.ROTATE:if(S.ctrlKey||S.metaKey||S.shiftKey){if(n.enablePan===!1)return;V(S),r=s.PAN}else{if(n.enableRotate===!1)return;fe(S),r=s.ROTATE}break;case Gs.PAN:if(S.ctrlKey||S.metaKey||S.shiftKey){if(n.enableRotate===!1)return;fe(S),r=s.ROTATE}else{if(n.enablePan===!1)return;V(S),r=s.PAN}break;default:r=s.NONE}r!==s.NONE&&n.dispatchEvent(yl)}function ve(S){switch(r){case s.ROTATE:if(n.enableRotate===!1)return;D(S);break;case s.DOLLY:if(n.enableZoom===!1)return;K(S);break;case s.PAN:if(n.enablePan===!1)return;ae(S);break}}function he(S){n.enabled===!1||n.enableZoom===!1||r!==s.NONE||(S.preventDefault(),n.dispatchEvent(yl),B(de(S)),n.dispatchEvent(Th))}function de(S){const J=S.deltaMode,re={clientX:S.clientX,clientY:S.clientY,deltaY:S.deltaY};switch(J){case 1:re.deltaY*=16;break;case 2:re.deltaY*=100;break}return S.ctrlKey&&!w&&(re.deltaY*=10),re}function Se(S){S.key==="Control"&&(w=!0,n.domElement.getRootNode().addEventListener("keyup",Ee,{passive:!0,capture:!0}))}function Ee(S){S.key==="Control"&&(w=!1,n.domElement.getRootNode().removeEventListener("keyup",Ee,{passive:!0,capture:!0}))}function Xe(S){n.enabled===!1||n.enablePan===!1||Q(S)}function Te(S){switch($e(S),R.length){case 1:switch(n.touches.ONE){case Ws.ROTATE:if(n.enableRotate===!1)return;j(S),r=s.TOUCH_ROTATE;break;case Ws.PAN:if(n.enablePan===!1)return;F(S),r=s.TOUCH_PAN;break;default:r=s.NONE}break;case 2:switch(n.touches.TWO){case Ws.DOLLY_PAN:if(n.enableZoom===!1&&n.enablePan===!1)return;xe(S),r=s.TOUCH_DOLLY_PAN;break;case Ws.DOLLY_ROTATE:if(n.enableZoom===!1&&n.enableRotate===!1)return;be(S),r=s.TOUCH_DOLLY_ROTATE;break;default:r=s.NONE}break;default:r=s.NONE}r!==s.NONE&&n.dispatchEvent(yl)}function ke(S){switch($e(S),r){case s.TOUCH_ROTATE:if(n.enableRotate===!1)return;Me(S),n.update();break;case s.TOUCH_PAN:if(n.enablePan===!1)return;Ce(S),n.update();break;case s.TOUCH_DOLLY_PAN:if(n.enableZoom===!1&&n.enablePan===!1)return;Ke(S),n.update();break;case s.TOUCH_DOLLY_ROTATE:if(n.enableZoom===!1&&n.enableRotate===!1)return;pt(S),n.update();break;default:r=s.NONE}}function Qe(S){n.enabled!==!1&&S.preventDefault()}function Be(S){R.push(S.pointerId)}function Pe(S){delete z[S.pointerId];for(let J=0;J<R.length;J++)if(R[J]==S.pointerId){R.splice(J,1);return}}function Ve(S){for(let J=0;J<R.length;J++)if(R[J]==S.pointerId)return!0;return!1}function $e(S){let J=z[S.pointerId];J===void 0&&(J=new ze,z[S.pointerId]=J),J.set(S.pageX,S.pageY)}function ht(S){const J=S.pointerId===R[0]?R[1]:R[0];return z[J]}n.domElement.addEventListener("contextmenu",Qe),n.domElement.addEventListener("pointerdown",k),n.domElement.addEventListener("pointercancel",ce),n.domElement.addEventListener("wheel",he,{passive:!1}),n.domElement.getRootNode().addEventListener("keydown",Se,{passive:!0,capture:!0}),this.update()}}const Rh=[[2,1],[0,2],[0,1]],BM=`
  attribute vec2 place;
  varying vec2 at;
  void main() {
    at = place;
    gl_Position = projectionMatrix * viewMatrix * vec4(position, 1.0);
  }`,zM=`
  uniform sampler2D tints;
  uniform vec2 counts, gap;
  uniform vec3 border;
  uniform float shade;
  varying vec2 at;
  void main() {
    vec2 within = fract(at);
    vec2 inside = clamp((min(within, 1.0 - within) - gap) / fwidth(at) + 0.5, 0.0, 1.0);
    vec2 smallest = clamp(2.0 * fwidth(at) - 1.0, 0.0, 1.0);
    inside = mix(inside, 1.0 - 2.0 * gap, smallest);
    vec3 tint = texture2D(tints, (clamp(floor(at), vec2(0.0), counts - 1.0) + 0.5) / counts).rgb;
    gl_FragColor = vec4(mix(border, tint * shade, inside.x * inside.y), 1.0);
  }`;class HM{constructor(e){this.layout=e,this.sides=[0,1,2].map(t=>this.make(t))}group=new hr;sides;make(e){const{counts:t,place:n,cell:s}=this.layout,[r,o]=Rh[e],a=new uM(new Uint8Array(4*t[r]*t[o]),t[r],t[o]),l=h=>(1-s[h]/n[h])/2,c=new ui;c.setAttribute("position",new En(new Float32Array(12),3)),c.setAttribute("place",new En(new Float32Array([0,0,t[r],0,0,t[o],t[r],t[o]]),2)),c.setIndex([0,1,2,2,1,3]);const u=new Rn(c,new yi({vertexShader:BM,fragmentShader:zM,side:ai,uniforms:{tints:{value:a},counts:{value:new ze(t[r],t[o])},gap:{value:new ze(l(r),l(o))},border:{value:new $},shade:{value:1}}}));return u.frustumCulled=!1,this.group.add(u),{across:e,ranks:new Uint32Array(t[r]*t[o]),mesh:u,tints:a}}place(e){const{layout:t}=this;for(const{across:n,ranks:s,mesh:r}of this.sides){const[o,a]=Rh[n],l=(e&1<<n)!==0,c=t.half[n]-(t.place[n]-t.cell[n])/2,u=r.geometry.getAttribute("position");for(let f=0;f<4;++f){const m=[0,0,0];m[n]=l?c:-c,m[o]=(f&1?1:-1)*t.half[o]*(o===2?-1:1),m[a]=(f&2?1:-1)*t.half[a]*(a===2?-1:1),u.setXYZ(f,...m)}u.needsUpdate=!0;const h=[0,0,0];h[n]=l!==(n===2)?t.counts[n]-1:0;for(let f=0;f<s.length;++f)h[o]=f%t.counts[o],h[a]=Math.floor(f/t.counts[o]),s[f]=t.rank_at(h);r.material.uniforms.shade.value=n===1?l?1:.55:n===0?.8:.66}}paint({colours:e},t){for(const{ranks:n,mesh:s,tints:r}of this.sides){const o=r.image.data;n.forEach((a,l)=>{for(let c=0;c<3;++c)o[4*l+c]=e[3*a+c];o[4*l+3]=255}),r.needsUpdate=!0,s.material.uniforms.border.value.fromArray(t.map(a=>a/255))}}destroy(){for(const{mesh:e,tints:t}of this.sides)e.geometry.dispose(),e.material.dispose(),t.dispose()}}vt.enabled=!1;const VM=3e3,Ch=1024,Ph=-1,Bo=8;class GM{constructor(e){this.layout=e;const t=e.world>VM;this.renderer=new lM({antialias:!t,alpha:!0,powerPreference:"low-power"}),this.renderer.outputColorSpace=ki,this.renderer.setPixelRatio(t?1:Math.min(2,devicePixelRatio||1)),this.canvas=this.renderer.domElement,this.element=I("div.space",{},this.canvas,this.labels),this.cells=new yh(e,e.world),this.through=new yh(e,Ch,.55),this.through.mesh.renderOrder=1,this.looks=new md(e.world),this.sides=t?new HM(e):null,this.cells.place(Array.from({length:e.world},(n,s)=>s)),this.cells.mesh.visible=!t,this.scene.add(this.cells.mesh,this.through.mesh,this.links),this.sides&&this.scene.add(this.sides.group),this.orbit=new kM(this.camera,this.canvas),this.orbit.addEventListener("change",()=>this.turn()),this.make_labels(),this.observer.observe(this.element)}element;canvas;labels=I("div.labels",{"aria-hidden":"true"});renderer;scene=new cM;camera=new jn(32,1,.1,5e3);orbit;cells;sides;through;looks;arranged=Ph;links=new hr;observer=new ResizeObserver(()=>this.resize());marks=[];waiting=0;has_view=!1;turn(){this.sides&&this.corner()!==this.arranged&&this.arrange(),this.draw_soon()}make_labels(){const{half:e,counts:t,place:n}=this.layout,{context:s}=this.layout.job,r=(a,l,c="label")=>{const u=I(`span.${c}`,{},a);this.labels.append(u),this.marks.push({element:u,at:new $(...l)})},o=.04*Math.max(...e)+.6;if(r(`${s>1?"data × context":"data"} 0 – ${t[0]-1} →`,[0,-e[1]-o,e[2]+o]),t[1]>1&&r(`tensor 0 – ${t[1]-1} ↑`,[-e[0]-o,0,e[2]]),t[2]>1)for(let a=0;a<t[2];a+=Math.ceil(t[2]/8))r(`stage ${a}`,[e[0]+o,-e[1],e[2]-(a+.5)*n[2]],"label.stage")}set_looks(e,t){this.looks=e,this.paint(),this.through.place(t.slice(0,Ch)),this.through.paint(e),this.draw_soon()}corner(){const{x:e,y:t,z:n}=this.camera.position,{half:s}=this.layout;return Math.abs(e)<s[0]&&Math.abs(t)<s[1]&&Math.abs(n)<s[2]?Bo:(e>0?1:0)+(t>0?2:0)+(n>0?4:0)}arrange(){this.arranged=this.corner(),this.cells.mesh.visible=this.arranged===Bo,this.sides.group.visible=this.arranged!==Bo,this.arranged!==Bo&&this.sides.place(this.arranged),this.paint()}paint(){if(this.sides&&this.arranged===Ph)return this.arrange();this.cells.mesh.visible?this.cells.paint(this.looks):this.sides.paint(this.looks,kf(Ft("--line")))}set_links(e){for(const t of[...this.links.children])t.geometry.dispose(),t.material.dispose();this.links.clear();for(const t of e)this.links.add(...t.arrow?this.arc(t):[this.beam(t)]);this.draw_soon()}thickness(e){return Math.min(...this.layout.place.filter((t,n)=>this.layout.counts[n]>1),1)*(.03+.07*e.load)+.0028*Math.max(...this.layout.half)}beam(e){const t=new $(...this.layout.position(e.from)),n=new $(...this.layout.position(e.to)),s=n.clone().sub(t),r=new Rn(new pa(1,1,1,8),new na({color:e.colour,depthTest:!1,transparent:!0}));return r.scale.set(this.thickness(e),s.length(),this.thickness(e)),r.position.copy(t.add(n).multiplyScalar(.5)),r.quaternion.setFromUnitVectors(new $(0,1,0),s.normalize()),r.renderOrder=2,r}arc(e){const t=new $(...this.layout.position(e.from)),n=new $(...this.layout.position(e.to)),s=t.distanceTo(n),r=this.thickness(e),o=t.clone().add(n).multiplyScalar(.5).add(new $(0,e.lift*(.25*s+this.layout.cell[1]),0)),a=new cc(t,o,n),l=new na({color:e.colour,depthTest:!1,transparent:!0}),c=new Rn(new hc(a,24,r,6),l),u=new Rn(new uc(r*2.6,r*8,10),l.clone()),h=a.getTangent(1);return u.quaternion.setFromUnitVectors(new $(0,1,0),h),u.position.copy(n).addScaledVector(h,-r*4),c.renderOrder=u.renderOrder=3,[c,u]}show_all(){this.has_view=!0;const{half:e}=this.layout,t=[];for(const o of[-1,1])for(const a of[-1,1])for(const l of[-1,1])t.push(new $(o*e[0],a*e[1],l*e[2]));const n=new $(-.32,.62,1).normalize();let s=.1,r=20*Math.max(...e)+10;for(let o=0;o<40;++o){const a=(s+r)/2;this.camera.position.copy(n).multiplyScalar(a),this.camera.lookAt(0,0,0),this.camera.updateMatrixWorld(),t.every(c=>{const u=c.clone().project(this.camera);return Math.abs(u.x)<.86&&Math.abs(u.y)<.84&&u.z<1&&c.clone().applyMatrix4(this.camera.matrixWorldInverse).z<0})?r=a:s=a}this.camera.position.copy(n).multiplyScalar(r),this.orbit.target.set(0,0,0),this.orbit.update(),this.draw_soon()}zoom(e){this.camera.position.sub(this.orbit.target).multiplyScalar(e).add(this.orbit.target),this.orbit.update(),this.draw_soon()}rank_at(e){const t=this.canvas.getBoundingClientRect(),n=new RM;n.setFromCamera(new ze((e.clientX-t.left)/t.width*2-1,1-(e.clientY-t.top)/t.height*2),this.camera);const{origin:s,direction:r}=n.ray,o=[s.x,s.y,s.z],a=[r.x,r.y,r.z],{middles:l,cell:c}=this.layout;let u=-1,h=1/0;for(let f=0;f<this.layout.world;++f){let m=0,_=1/0;for(let v=0;v<3;++v){const p=c[v]/2*this.looks.scales[f],d=l[3*f+v],y=(d-p-o[v])/a[v],x=(d+p-o[v])/a[v];m=Math.max(m,Math.min(y,x)),_=Math.min(_,Math.max(y,x))}m<=_&&m<h&&(h=m,u=f)}return u}draw_soon(){this.waiting||=requestAnimationFrame(()=>{this.waiting=0,this.draw()})}draw(){const e=this.element.clientWidth,t=this.element.clientHeight;if(e===0||!this.has_view)return;this.renderer.render(this.scene,this.camera);const n=[];for(const{element:s,at:r}of this.marks){const o=r.clone().project(this.camera),a=4*(s.textContent?.length??0),l=Math.max(a,Math.min(e-a,(o.x+1)/2*e)),c=(1-o.y)/2*t,u=n.every(h=>Math.abs(h.x-l)>56||Math.abs(h.y-c)>16);u&&n.push({x:l,y:c}),s.style.transform=`translate(${l}px, ${c}px) translate(-50%, -50%)`,s.style.visibility=u&&o.z<1?"visible":"hidden"}}resize(){const e=this.element.clientWidth,t=this.element.clientHeight;e===0||t===0||(this.renderer.setSize(e,t),this.camera.aspect=e/t,this.camera.updateProjectionMatrix(),this.has_view||this.show_all(),this.draw())}destroy(){this.observer.disconnect(),this.orbit.dispose(),this.set_links([]),cancelAnimationFrame(this.waiting),this.cells.destroy(),this.sides?.destroy(),this.through.destroy(),this.renderer.dispose(),this.renderer.forceContextLoss()}}const WM=3e3,XM=400,$M=5,YM=10,Lh={tensor:"--series-1",data:"--series-2",pipeline:"--series-3",context:"--series-4"},qM={both:"↔",sends:"→",receives:"←",none:"–"},Dh={usual:"as its peers",slow:"slow",stuck:"holds up the job",waits:"waits for it",unknown:"no records"};function jM(i,e){let t=null,n,s=null,r=null,o=null,a=[],l=[],c=new Set,u=-1,h=e.parameters.get("column")??"",f=e.parameters.get("scale")??"",m=[0,1],_=!1,v=0;const p=I("div.controls"),d=I("div.verdict",{role:"status"}),y=I("div.space-holder",{tabindex:0,role:"application","aria-label":"Grid of ranks. Arrow keys choose a rank along data and tensor, Page Up and Page Down along stages."}),x=I("div.tip",{hidden:!0}),b=I("section.panel.side",{"aria-label":"Chosen rank"}),H=I("div.scale"),T=I("div.grid3",{},I("div",{},y,H),b);i.append(p,d,T);const R=aa(()=>{U(),se()}),z=()=>s!==null&&e.run.kind==="simulated"&&(s.reading?.all??s.ranks.length)<n.world,w=()=>s?.columns.find(B=>B.key===h);function M(){a=Array.from({length:n.world},()=>({value:null,excess:0,state:"unknown",text:""}));const B=w();if(s&&B){const Q=vd(s,B),j=(F,_e)=>{a[F]={value:_e.value,excess:_e.excess,state:"usual",text:""}};if(z()){const F=new Map;for(const _e of Q)F.has(_e.row.at.pipeline)||F.set(_e.row.at.pipeline,_e);for(let _e=0;_e<n.world;++_e){const xe=F.get(n.at(_e).pipeline);xe&&j(_e,xe)}}for(const F of Q)j(F.row.rank,F);for(const F of s.stragglers)for(const _e of F.ranks)Object.assign(a[_e],{state:"slow",text:`${Gl[F.cause]}: ${F.text}`});for(const F of s.problems)a[F.rank]&&(a[F.rank].text=F.text)}for(const Q of r?.waiting??[])Object.assign(a[Q.rank],{state:"waits",text:`waits in ${Q.task} for rank ${bh(Q.awaited)}`});for(const Q of(r?.suspects??[]).slice().reverse())Object.assign(a[Q.rank],{state:"stuck",text:Q.reason});m=[1/0,-1/0];for(const{value:Q}of a)Q!==null&&(m=[Math.min(m[0],Q),Math.max(m[1],Q)]);m[0]>m[1]&&(m=[0,1])}function U(){if(!t)return;const B=kf(Ft("--surface")),Q=h==="state"||!w(),j=Bf(),F=r?.hangs??!1,_e=new md(n.world),xe=[];a.forEach((be,Me)=>{const Ce=be.state==="stuck",Ie=Q||be.value===null||Ce||F&&be.state==="waits"?Kc(be.state):f==="absolute"?Hp((be.value-m[0])/(m[1]-m[0]||1)):j(be.excess).rgb,pt=(c.size>0?!c.has(Me)&&!Ce:F&&!Ce&&be.state!=="waits")?.72:0;for(let k=0;k<3;++k)_e.colours[3*Me+k]=Ie[k]+(B[k]-Ie[k])*pt;_e.scales[Me]=Me===u||Ce?1.38:be.state==="slow"?1.15:1,(_e.scales[Me]>1||c.has(Me))&&xe.push(Me)}),t.set_looks(_e,xe),G(Q)}function G(B){const Q=new Map;for(const F of a)Q.set(F.state,(Q.get(F.state)??0)+1);const j=F=>F.filter(_e=>Q.has(_e)).map(_e=>{const xe=I("i.dot",{});return xe.style.background=`rgb(${Kc(_e).join(" ")})`,I("span",{},xe,`${Dh[_e]} (${Q.get(_e)})`)});if(B)nt(H,...j(["usual","slow","stuck","waits","unknown"]));else{const F=w().unit,_e=f==="absolute"?"gradient.absolute":"gradient";nt(H,I("span",{},f==="absolute"?Di(m[0],F):"−20 %"),I(`span.${_e}`,{}),I("span",{},f==="absolute"?Di(m[1],F):"+20 %"),I("span.muted",{},f==="absolute"?w().label:"against the median of the ranks with the same work"),...r?.hangs?j(["stuck","waits"]):[])}H.append(I("span.muted.hint",{},"drag turns, wheel zooms, click chooses"))}function N(){const B=r?.suspects??[];nt(d,...B.slice(0,3).map(Q=>I("div.straggler",{},I("span.cause",{},"holds up the job"),I("span",{},` ${Q.reason}`),I("span.muted",{},` its process ${Q.process_id||""}${Q.host?` on ${Q.host}`:""} is ${Q.process} `),I("button.plain",{onclick:()=>void te(Q.rank)},"show"))),...(s?.stragglers??[]).slice(0,2).map(Q=>I("div.straggler",{},I(`span.cause.${Q.cause}`,{},Gl[Q.cause]),` ${Q.text} `,I("button.plain",{onclick:()=>void te(Q.ranks[0])},"show"))),(s?.stragglers.length??0)>2&&I("div.muted",{},`and ${s.stragglers.length-2} more, which the heat map lists`),z()&&I("div.muted",{},`Simulated with ${s.ranks.length} of ${n.world} ranks: each other rank is shown as the first of its stage.`),s?.reading?_d(s.reading):B.length===0&&s&&!s.stragglers.length&&!z()&&I("div.fine",{},"No rank stands out in the last steps."))}function Z(B,Q,j){if(B.axes.length!==1||!B.members)return null;const F=Ft(Lh[B.axes[0]]??"--muted"),_e=Math.max(B.sent_bytes,B.received_bytes)/j;if(B.size===2&&B.direction!=="both"){const xe=B.members.find(Me=>Me!==Q),be=B.direction==="sends";return{from:be?Q:xe,to:be?xe:Q,arrow:!0,colour:F,load:_e,lift:B.lane.startsWith("backward")?-1:1}}return{from:B.members[0],to:B.members.at(-1),arrow:!1,colour:F,load:_e,lift:0}}let X=null;function se(){if(!t)return;const B=X?.groups??[],Q=Math.max(1,...B.map(j=>Math.max(j.sent_bytes,j.received_bytes)));l=B.map(j=>Z(j,u,Q)).filter(j=>j!==null),t.set_links(l)}async function te(B){if(!(B===u||!t)&&(u=B,e.remember({rank:B<0?null:String(B)}),c=new Set(B<0?[]:[B]),X=null,U(),se(),ne(),!(B<0))){gr(`rank ${B}, ${$o(n.at(B))}${a[B].text?`, ${a[B].text}`:""}`);try{const Q=await kn(`/api/runs/${e.run.id}/peers?rank=${B}`);if(_||u!==B)return;X=Q;for(const j of Q.groups)j.axes.length===1&&j.members?.forEach(F=>c.add(F));U(),se(),ne()}catch(Q){!_&&u===B&&b.append(on("Its groups cannot be shown",Q.message,"error"))}}}function ne(){if(u<0){nt(b,I("h2.title",{},`${n.world} ranks`),I("p.muted",{},fc(e.run.job)),I("p.muted",{},"Choose a rank to see its groups, the direction and the load of their transfers, and its state."));return}const{value:B,excess:Q,state:j,text:F}=a[u],_e=s?.ranks.find(Me=>Me.rank===u),xe=[["Place",$o(n.at(u))],["Host",_e?.host||"unknown"],["State",F||Dh[j]]];B!==null&&w()&&xe.push([w().label,`${Di(B,w().unit)} (${Q>=0?"+":""}${Cn(Q)} against peers)`]);const be=o?.incidents.filter(Me=>Me.rank===u||Me.rank<0&&Me.host!==""&&Me.host===_e?.host).at(-1);be&&xe.push(["Last incident",`${be.what}${be.step>=0?`, step ${be.step}`:""}: ${be.open?"open":be.outcome}`]),nt(b,I("div.head",{},I("h2",{},`Rank ${u}`),_e?I("button",{onclick:()=>e.go("timeline",{ranks:String(u)})},"Timeline"):null,I("button.plain",{onclick:()=>void te(-1),title:"Key Esc"},"Close")),I("dl.facts",{},...xe.flatMap(([Me,Ce])=>[I("dt",{},Me),I("dd",{},Ce)])),X&&I("table.groups",{},I("thead",{},I("tr",{},I("th",{},"Group"),I("th",{},"With"),I("th",{},"A step"),I("th",{},"Rate"))),I("tbody",{},...X.groups.map(Y))),X&&X.times_of!==void 0&&X.times_of!==u&&I("p.muted",{},`Rates are those of rank ${X.times_of}, which has the same plan.`))}function Y(B){const Q=Math.max(B.sent_bytes,B.received_bytes),j=I("i.dot",{});j.style.background=Ft(B.axes.length===1?Lh[B.axes[0]]??"--muted":"--muted");const F=B.members?.filter(_e=>_e!==u);return I("tr",{title:`${B.key}, lane ${B.lane}, ${B.transfers} transfers a step`},I("td",{},j,`${B.axes.join(" × ")} `,I("span.muted",{},B.axes.join()===B.lane?"":B.lane.replace("_"," "))),I("td",{},`${qM[B.direction]} ${F?bh(F,4):`${B.size-1} ranks`}`),I("td",{},oi(Q)),I("td",{},B.moving_seconds&&Q>0?`${oi(Q/B.moving_seconds)}/s`:"–"))}function q(){const B=[{value:"state",label:"state"},...(s?.columns??[]).map(j=>({value:j.key,label:j.label,group:j.group}))],Q=I("input",{size:7,inputmode:"numeric",placeholder:"rank"});Q.addEventListener("change",()=>{const j=Number(Q.value);Number.isInteger(j)&&j>=0&&j<n.world&&Q.value!==""&&te(j)}),nt(p,Si("Colour",Ii(B,h,j=>{h=j,e.remember({column:j}),P()})),Si("Scale",Ii([{value:"peers",label:"against peers"},{value:"absolute",label:"least to most"}],f,j=>{f=j,e.remember({scale:j}),U()})),Si("Find",Q),I("button",{onclick:()=>t?.show_all(),title:"Key 0"},"Whole grid"))}function fe(){const{kind:B,age_seconds:Q,newest:j}=e.run;return B==="trained"&&(Q??0)>Math.max(YM,$M*(j.step_seconds??0))}async function P(){window.clearTimeout(v);const B=h;try{s=await Qr(e.run,8,B||"compute"),B||(h="compute"),f||=z()?"absolute":"peers"}catch(Q){if(Q.status!==404)throw Q;h||="state",f||="peers"}e.run.has_job&&(o=await kn(`/api/runs/${e.run.id}/job`).catch(()=>null)),r=fe()?await kn(`/api/runs/${e.run.id}/hang`).catch(()=>null):null,!(_||B&&B!==h)&&((!p.hasChildNodes()||s&&p.querySelectorAll("option").length<5)&&q(),M(),U(),N(),b.contains(document.activeElement)||ne(),v=window.setTimeout(()=>void P().catch(V),s?.reading?XM:e.run.kind==="simulated"?6e4:WM))}function V(B){_||nt(d,on("Records cannot be read",B.message,"error"))}function D(){let B=null;t.canvas.addEventListener("pointerdown",Q=>{B=[Q.clientX,Q.clientY]}),t.canvas.addEventListener("click",Q=>{B&&Math.hypot(Q.clientX-B[0],Q.clientY-B[1])<4&&te(t.rank_at(Q))}),t.canvas.addEventListener("pointermove",Q=>{const j=Q.buttons?-1:t.rank_at(Q);if(x.hidden=j<0,t.canvas.style.cursor=j<0?"grab":"pointer",j<0)return;const{value:F,excess:_e,text:xe}=a[j],be=y.getBoundingClientRect();x.style.transform=`translate(${Q.clientX-be.left+14}px, ${Q.clientY-be.top+14}px)`,nt(x,I("strong",{},`rank ${j}`),I("div",{},$o(n.at(j))),F!==null&&w()?I("div",{},`${w().label} ${Di(F,w().unit)}, ${_e>=0?"+":""}${Cn(_e)}`):null,xe?I("div",{},xe):null)}),t.canvas.addEventListener("pointerleave",()=>{x.hidden=!0})}function K(B){if(!t)return!1;const j={ArrowLeft:[0,-1],ArrowRight:[0,1],ArrowDown:[1,-1],ArrowUp:[1,1],PageUp:[2,1],PageDown:[2,-1]}[B.key];if(j)te(u<0?0:n.neighbour(u,...j));else if(B.key==="Escape")te(-1);else if(B.key==="0")t.show_all();else if(B.key==="+"||B.key==="w")t.zoom(.85);else if(B.key==="-"||B.key==="s")t.zoom(1/.85);else return!1;return!0}function ae(){if(!e.run.job){T.hidden=!0,nt(d,on("No grid",e.run.problem??"The size of the job is not known.","empty"));return}n=new OM(e.run.job),a=Array.from({length:n.world},()=>({value:null,excess:0,state:"unknown",text:""}));try{t=new GM(n)}catch{T.hidden=!0,nt(d,on("This browser draws no WebGL","Turn on hardware acceleration or software rendering of WebGL. The heat map shows the same numbers without it.","error"));return}y.append(t.element,x),D(),U(),ne(),P().then(()=>{const B=Number(e.parameters.get("rank")??r?.suspects?.[0]?.rank??-1);B>=0&&B<n.world&&te(B)}).catch(V)}return ae(),{leave(){_=!0,window.clearTimeout(v),R(),t?.destroy()},key:K}}const KM=!0,Zt="u-",ZM="uplot",JM=Zt+"hz",QM=Zt+"vt",eS=Zt+"title",tS=Zt+"wrap",nS=Zt+"under",iS=Zt+"over",sS=Zt+"axis",Ms=Zt+"off",rS=Zt+"select",oS=Zt+"cursor-x",aS=Zt+"cursor-y",lS=Zt+"cursor-pt",cS=Zt+"legend",uS=Zt+"live",hS=Zt+"inline",fS=Zt+"series",dS=Zt+"marker",Uh=Zt+"label",pS=Zt+"value",Xr="width",$r="height",Vr="top",Ih="bottom",lr="left",El="right",dc="#000",Nh=dc+"0",bl="mousemove",Oh="mousedown",wl="mouseup",Fh="mouseenter",kh="mouseleave",Bh="dblclick",mS="resize",gS="scroll",zh="change",ia="dppxchange",pc="--",Tr=typeof window<"u",Wl=Tr?document:null,mr=Tr?window:null,_S=Tr?navigator:null;let gt,zo;function Xl(){let i=devicePixelRatio;gt!=i&&(gt=i,zo&&Yl(zh,zo,Xl),zo=matchMedia(`(min-resolution: ${gt-.001}dppx) and (max-resolution: ${gt+.001}dppx)`),bs(zh,zo,Xl),mr.dispatchEvent(new CustomEvent(ia)))}function Fn(i,e){if(e!=null){let t=i.classList;!t.contains(e)&&t.add(e)}}function $l(i,e){let t=i.classList;t.contains(e)&&t.remove(e)}function Ct(i,e,t){i.style[e]=t+"px"}function si(i,e,t,n){let s=Wl.createElement(i);return e!=null&&Fn(s,e),t?.insertBefore(s,n),s}function Yn(i,e){return si("div",i,e)}const Hh=new WeakMap;function mi(i,e,t,n,s){let r="translate("+e+"px,"+t+"px)",o=Hh.get(i);r!=o&&(i.style.transform=r,Hh.set(i,r),e<0||t<0||e>n||t>s?Fn(i,Ms):$l(i,Ms))}const Vh=new WeakMap;function Gh(i,e,t){let n=e+t,s=Vh.get(i);n!=s&&(Vh.set(i,n),i.style.background=e,i.style.borderColor=t)}const Wh=new WeakMap;function Xh(i,e,t,n){let s=e+""+t,r=Wh.get(i);s!=r&&(Wh.set(i,s),i.style.height=t+"px",i.style.width=e+"px",i.style.marginLeft=n?-e/2+"px":0,i.style.marginTop=n?-t/2+"px":0)}const mc={passive:!0},vS={...mc,capture:!0};function bs(i,e,t,n){e.addEventListener(i,t,n?vS:mc)}function Yl(i,e,t,n){e.removeEventListener(i,t,mc)}Tr&&Xl();function ri(i,e,t,n){let s;t=t||0,n=n||e.length-1;let r=n<=2147483647;for(;n-t>1;)s=r?t+n>>1:Hn((t+n)/2),e[s]<i?t=s:n=s;return i-e[t]<=e[n]-i?t:n}function xd(i){return(t,n,s)=>{let r=-1,o=-1;for(let a=n;a<=s;a++)if(i(t[a])){r=a;break}for(let a=s;a>=n;a--)if(i(t[a])){o=a;break}return[r,o]}}const Md=i=>i!=null,Sd=i=>i!=null&&i>0,ma=xd(Md),xS=xd(Sd);function MS(i,e,t,n=0,s=!1){let r=s?xS:ma,o=s?Sd:Md;[e,t]=r(i,e,t);let a=i[e],l=i[e];if(e>-1)if(n==1)a=i[e],l=i[t];else if(n==-1)a=i[t],l=i[e];else for(let c=e;c<=t;c++){let u=i[c];o(u)&&(u<a?a=u:u>l&&(l=u))}return[a??yt,l??-yt]}function ga(i,e,t,n){let s=qh(i),r=qh(e);i==e&&(s==-1?(i*=t,e/=t):(i/=t,e*=t));let o=t==10?Ni:yd,a=s==1?Hn:qn,l=r==1?qn:Hn,c=a(o(qt(i))),u=l(o(qt(e))),h=Sr(t,c),f=Sr(t,u);return t==10&&(c<0&&(h=Et(h,-c)),u<0&&(f=Et(f,-u))),n||t==2?(i=h*s,e=f*r):(i=Td(i,h),e=_a(e,f)),[i,e]}function gc(i,e,t,n){let s=ga(i,e,t,n);return i==0&&(s[0]=0),e==0&&(s[1]=0),s}const _c=.1,$h={mode:3,pad:_c},Kr={pad:0,soft:null,mode:0},SS={min:Kr,max:Kr};function sa(i,e,t,n){return va(t)?Yh(i,e,t):(Kr.pad=t,Kr.soft=n?0:null,Kr.mode=n?3:0,Yh(i,e,SS))}function dt(i,e){return i??e}function yS(i,e,t){for(e=dt(e,0),t=dt(t,i.length-1);e<=t;){if(i[e]!=null)return!0;e++}return!1}function Yh(i,e,t){let n=t.min,s=t.max,r=dt(n.pad,0),o=dt(s.pad,0),a=dt(n.hard,-yt),l=dt(s.hard,yt),c=dt(n.soft,yt),u=dt(s.soft,-yt),h=dt(n.mode,0),f=dt(s.mode,0),m=e-i,_=Ni(m),v=Sn(qt(i),qt(e)),p=Ni(v),d=qt(p-_);(m<1e-24||d>10)&&(m=0,(i==0||e==0)&&(m=1e-24,h==2&&c!=yt&&(r=0),f==2&&u!=-yt&&(o=0)));let y=m||v||1e3,x=Ni(y),b=Sr(10,Hn(x)),H=y*(m==0?i==0?.1:1:r),T=Et(Td(i-H,b/10),24),R=i>=c&&(h==1||h==3&&T<=c||h==2&&T>=c)?c:yt,z=Sn(a,T<R&&i>=R?R:ci(R,T)),w=y*(m==0?e==0?.1:1:o),M=Et(_a(e+w,b/10),24),U=e<=u&&(f==1||f==3&&M>=u||f==2&&M<=u)?u:-yt,G=ci(l,M>U&&e<=U?U:Sn(U,M));return z==G&&z==0&&(G=100),[z,G]}const ES=new Intl.NumberFormat(Tr?_S.language:"en-US"),vc=i=>ES.format(i),Vn=Math,Yo=Vn.PI,qt=Vn.abs,Hn=Vn.floor,Yt=Vn.round,qn=Vn.ceil,ci=Vn.min,Sn=Vn.max,Sr=Vn.pow,qh=Vn.sign,Ni=Vn.log10,yd=Vn.log2,bS=(i,e=1)=>Vn.sinh(i)*e,Tl=(i,e=1)=>Vn.asinh(i/e),yt=1/0;function jh(i){return(Ni((i^i>>31)-(i>>31))|0)+1}function ql(i,e,t){return ci(Sn(i,e),t)}function Ed(i){return typeof i=="function"}function at(i){return Ed(i)?i:()=>i}const wS=()=>{},bd=i=>i,wd=(i,e)=>e,TS=i=>null,Kh=i=>!0,Zh=(i,e)=>i==e,AS=/\.\d*?(?=9{6,}|0{6,})/gm,Rs=i=>{if(Rd(i)||ss.has(i))return i;const e=`${i}`,t=e.match(AS);if(t==null)return i;let n=t[0].length-1;if(e.indexOf("e-")!=-1){let[s,r]=e.split("e");return+`${Rs(s)}e${r}`}return Et(i,n)};function ms(i,e){return Rs(Et(Rs(i/e))*e)}function _a(i,e){return Rs(qn(Rs(i/e))*e)}function Td(i,e){return Rs(Hn(Rs(i/e))*e)}function Et(i,e=0){if(Rd(i))return i;let t=10**e,n=i*t*(1+Number.EPSILON);return Yt(n)/t}const ss=new Map;function Ad(i){return((""+i).split(".")[1]||"").length}function eo(i,e,t,n){let s=[],r=n.map(Ad);for(let o=e;o<t;o++){let a=qt(o),l=Et(Sr(i,o),a);for(let c=0;c<n.length;c++){let u=i==10?+`${n[c]}e${o}`:n[c]*l,h=(o>=0?0:a)+(o>=r[c]?0:r[c]),f=i==10?u:Et(u,h);s.push(f),ss.set(f,h)}}return s}const Zr={},xc=[],yr=[null,null],Zi=Array.isArray,Rd=Number.isInteger,RS=i=>i===void 0;function Jh(i){return typeof i=="string"}function va(i){let e=!1;if(i!=null){let t=i.constructor;e=t==null||t==Object}return e}function CS(i){return i!=null&&typeof i=="object"}const PS=Object.getPrototypeOf(Uint8Array),Cd="__proto__";function Er(i,e=va){let t;if(Zi(i)){let n=i.find(s=>s!=null);if(Zi(n)||e(n)){t=Array(i.length);for(let s=0;s<i.length;s++)t[s]=Er(i[s],e)}else t=i.slice()}else if(i instanceof PS)t=i.slice();else if(e(i)){t={};for(let n in i)n!=Cd&&(t[n]=Er(i[n],e))}else t=i;return t}function Xt(i){let e=arguments;for(let t=1;t<e.length;t++){let n=e[t];for(let s in n)s!=Cd&&(va(i[s])?Xt(i[s],Er(n[s])):i[s]=Er(n[s]))}return i}const LS=0,DS=1,US=2;function IS(i,e,t){for(let n=0,s,r=-1;n<e.length;n++){let o=e[n];if(o>r){for(s=o-1;s>=0&&i[s]==null;)i[s--]=null;for(s=o+1;s<t&&i[s]==null;)i[r=s++]=null}}}function NS(i,e){if(kS(i)){let o=i[0].slice();for(let a=1;a<i.length;a++)o.push(...i[a].slice(1));return BS(o[0])||(o=FS(o)),o}let t=new Set;for(let o=0;o<i.length;o++){let l=i[o][0],c=l.length;for(let u=0;u<c;u++)t.add(l[u])}let n=[Array.from(t).sort((o,a)=>o-a)],s=n[0].length,r=new Map;for(let o=0;o<s;o++)r.set(n[0][o],o);for(let o=0;o<i.length;o++){let a=i[o],l=a[0];for(let c=1;c<a.length;c++){let u=a[c],h=Array(s).fill(void 0),f=e?e[o][c]:DS,m=[];for(let _=0;_<u.length;_++){let v=u[_],p=r.get(l[_]);v===null?f!=LS&&(h[p]=v,f==US&&m.push(p)):h[p]=v}IS(h,m,s),n.push(h)}}return n}const OS=typeof queueMicrotask>"u"?i=>Promise.resolve().then(i):queueMicrotask;function FS(i){let e=i[0],t=e.length,n=Array(t);for(let r=0;r<n.length;r++)n[r]=r;n.sort((r,o)=>e[r]-e[o]);let s=[];for(let r=0;r<i.length;r++){let o=i[r],a=Array(t);for(let l=0;l<t;l++)a[l]=o[n[l]];s.push(a)}return s}function kS(i){let e=i[0][0],t=e.length;for(let n=1;n<i.length;n++){let s=i[n][0];if(s.length!=t)return!1;if(s!=e){for(let r=0;r<t;r++)if(s[r]!=e[r])return!1}}return!0}function BS(i,e=100){const t=i.length;if(t<=1)return!0;let n=0,s=t-1;for(;n<=s&&i[n]==null;)n++;for(;s>=n&&i[s]==null;)s--;if(s<=n)return!0;const r=Sn(1,Hn((s-n+1)/e));for(let o=i[n],a=n+r;a<=s;a+=r){const l=i[a];if(l!=null){if(l<=o)return!1;o=l}}return!0}const Pd=["January","February","March","April","May","June","July","August","September","October","November","December"],Ld=["Sunday","Monday","Tuesday","Wednesday","Thursday","Friday","Saturday"];function Dd(i){return i.slice(0,3)}const zS=Ld.map(Dd),HS=Pd.map(Dd),VS={MMMM:Pd,MMM:HS,WWWW:Ld,WWW:zS};function Gr(i){return(i<10?"0":"")+i}function GS(i){return(i<10?"00":i<100?"0":"")+i}const WS={YYYY:i=>i.getFullYear(),YY:i=>(i.getFullYear()+"").slice(2),MMMM:(i,e)=>e.MMMM[i.getMonth()],MMM:(i,e)=>e.MMM[i.getMonth()],MM:i=>Gr(i.getMonth()+1),M:i=>i.getMonth()+1,DD:i=>Gr(i.getDate()),D:i=>i.getDate(),WWWW:(i,e)=>e.WWWW[i.getDay()],WWW:(i,e)=>e.WWW[i.getDay()],HH:i=>Gr(i.getHours()),H:i=>i.getHours(),h:i=>{let e=i.getHours();return e==0?12:e>12?e-12:e},AA:i=>i.getHours()>=12?"PM":"AM",aa:i=>i.getHours()>=12?"pm":"am",a:i=>i.getHours()>=12?"p":"a",mm:i=>Gr(i.getMinutes()),m:i=>i.getMinutes(),ss:i=>Gr(i.getSeconds()),s:i=>i.getSeconds(),fff:i=>GS(i.getMilliseconds())};function Mc(i,e){e=e||VS;let t=[],n=/\{([a-z]+)\}|[^{]+/gi,s;for(;s=n.exec(i);)t.push(s[0][0]=="{"?WS[s[1]]:s[0]);return r=>{let o="";for(let a=0;a<t.length;a++)o+=typeof t[a]=="string"?t[a]:t[a](r,e);return o}}const XS=new Intl.DateTimeFormat().resolvedOptions().timeZone;function $S(i,e){let t;return e=="UTC"||e=="Etc/UTC"?t=new Date(+i+i.getTimezoneOffset()*6e4):e==XS?t=i:(t=new Date(i.toLocaleString("en-US",{timeZone:e})),t.setMilliseconds(i.getMilliseconds())),t}const Ud=i=>i%1==0,ra=[1,2,2.5,5],YS=eo(10,-32,0,ra),Id=eo(10,0,32,ra),qS=Id.filter(Ud),gs=YS.concat(Id),Sc=`
`,Nd="{YYYY}",Qh=Sc+Nd,Od="{M}/{D}",Yr=Sc+Od,Ho=Yr+"/{YY}",Fd="{aa}",jS="{h}:{mm}",cr=jS+Fd,ef=Sc+cr,tf=":{ss}",_t=null;function kd(i){let e=i*1e3,t=e*60,n=t*60,s=n*24,r=s*30,o=s*365,l=(i==1?eo(10,0,3,ra).filter(Ud):eo(10,-3,0,ra)).concat([e,e*5,e*10,e*15,e*30,t,t*5,t*10,t*15,t*30,n,n*2,n*3,n*4,n*6,n*8,n*12,s,s*2,s*3,s*4,s*5,s*6,s*7,s*8,s*9,s*10,s*15,r,r*2,r*3,r*4,r*6,o,o*2,o*5,o*10,o*25,o*50,o*100]);const c=[[o,Nd,_t,_t,_t,_t,_t,_t,1],[s*28,"{MMM}",Qh,_t,_t,_t,_t,_t,1],[s,Od,Qh,_t,_t,_t,_t,_t,1],[n,"{h}"+Fd,Ho,_t,Yr,_t,_t,_t,1],[t,cr,Ho,_t,Yr,_t,_t,_t,1],[e,tf,Ho+" "+cr,_t,Yr+" "+cr,_t,ef,_t,1],[i,tf+".{fff}",Ho+" "+cr,_t,Yr+" "+cr,_t,ef,_t,1]];function u(h){return(f,m,_,v,p,d)=>{let y=[],x=p>=o,b=p>=r&&p<o,H=h(_),T=Et(H*i,3),R=Al(H.getFullYear(),x?0:H.getMonth(),b||x?1:H.getDate()),z=Et(R*i,3);if(b||x){let w=b?p/r:0,M=x?p/o:0,U=T==z?T:Et(Al(R.getFullYear()+M,R.getMonth()+w,1)*i,3),G=new Date(Yt(U/i)),N=G.getFullYear(),Z=G.getMonth();for(let X=0;U<=v;X++){let se=Al(N+M*X,Z+w*X,1),te=se-h(Et(se*i,3));U=Et((+se+te)*i,3),U<=v&&y.push(U)}}else{let w=p>=s?s:p,M=Hn(_)-Hn(T),U=z+M+_a(T-z,w);y.push(U);let G=h(U),N=G.getHours()+G.getMinutes()/t+G.getSeconds()/n,Z=p/n,X=f.axes[m]._space,se=d/X;for(;U=Et(U+p,i==1?0:3),!(U>v);)if(Z>1){let te=Hn(Et(N+Z,6))%24,q=h(U).getHours()-te;q>1&&(q=-1),U-=q*n,N=(N+Z)%24;let fe=y[y.length-1];Et((U-fe)/p,3)*se>=.7&&y.push(U)}else y.push(U)}return y}}return[l,c,u]}const[KS,ZS,JS]=kd(1),[QS,ey,ty]=kd(.001);eo(2,-53,53,[1]);function nf(i,e){return i.map(t=>t.map((n,s)=>s==0||s==8||n==null?n:e(s==1||t[8]==0?n:t[1]+n)))}function sf(i,e){return(t,n,s,r,o)=>{let a=e.find(_=>o>=_[0])||e[e.length-1],l,c,u,h,f,m;return n.map(_=>{let v=i(_),p=v.getFullYear(),d=v.getMonth(),y=v.getDate(),x=v.getHours(),b=v.getMinutes(),H=v.getSeconds(),T=p!=l&&a[2]||d!=c&&a[3]||y!=u&&a[4]||x!=h&&a[5]||b!=f&&a[6]||H!=m&&a[7]||a[1];return l=p,c=d,u=y,h=x,f=b,m=H,T(v)})}}function ny(i,e){let t=Mc(e);return(n,s,r,o,a)=>s.map(l=>t(i(l)))}function Al(i,e,t){return new Date(i,e,t)}function rf(i,e){return e(i)}const iy="{YYYY}-{MM}-{DD} {h}:{mm}{aa}";function of(i,e){return(t,n,s,r)=>r==null?pc:e(i(n))}function sy(i,e){let t=i.series[e];return t.width?t.stroke(i,e):t.points.width?t.points.stroke(i,e):null}function ry(i,e){return i.series[e].fill(i,e)}const oy={show:!0,live:!0,isolate:!1,mount:wS,markers:{show:!0,width:2,stroke:sy,fill:ry,dash:"solid"},idx:null,idxs:null,values:[]};function ay(i,e){let t=i.cursor.points,n=Yn(),s=t.size(i,e);Ct(n,Xr,s),Ct(n,$r,s);let r=s/-2;Ct(n,"marginLeft",r),Ct(n,"marginTop",r);let o=t.width(i,e,s);return o&&Ct(n,"borderWidth",o),n}function ly(i,e){let t=i.series[e].points;return t._fill||t._stroke}function cy(i,e){let t=i.series[e].points;return t._stroke||t._fill}function uy(i,e){return i.series[e].points.size}const Rl=[0,0];function hy(i,e,t){return Rl[0]=e,Rl[1]=t,Rl}function Vo(i,e,t,n=!0){return s=>{s.button==0&&(!n||s.target==e)&&t(s)}}function Cl(i,e,t,n=!0){return s=>{(!n||s.target==e)&&t(s)}}const fy={show:!0,x:!0,y:!0,lock:!1,move:hy,points:{one:!1,show:ay,size:uy,width:0,stroke:cy,fill:ly},bind:{mousedown:Vo,mouseup:Vo,click:Vo,dblclick:Vo,mousemove:Cl,mouseleave:Cl,mouseenter:Cl},drag:{setScale:!0,x:!0,y:!1,dist:0,uni:null,click:(i,e)=>{e.stopPropagation(),e.stopImmediatePropagation()},_x:!1,_y:!1},focus:{dist:(i,e,t,n,s)=>n-s,prox:-1,bias:0},hover:{skip:[void 0],prox:null,bias:0},left:-10,top:-10,idx:null,dataIdx:null,idxs:null,event:null},Bd={show:!0,stroke:"rgba(0,0,0,0.07)",width:2},yc=Xt({},Bd,{filter:wd}),zd=Xt({},yc,{size:10}),Hd=Xt({},Bd,{show:!1}),Ec='12px system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, "Noto Sans", sans-serif, "Apple Color Emoji", "Segoe UI Emoji", "Segoe UI Symbol", "Noto Color Emoji"',Vd="bold "+Ec,Gd=1.5,af={show:!0,scale:"x",stroke:dc,space:50,gap:5,alignTo:1,size:50,labelGap:0,labelSize:30,labelFont:Vd,side:2,grid:yc,ticks:zd,border:Hd,font:Ec,lineGap:Gd,rotate:0},dy="Value",py="Time",lf={show:!0,scale:"x",auto:!1,sorted:1,min:yt,max:-yt,idxs:[]};function my(i,e,t,n,s){return e.map(r=>r==null?"":vc(r))}function gy(i,e,t,n,s,r,o){let a=[],l=ss.get(s)||0;t=o?t:Et(_a(t,s),l);for(let c=t;c<=n;c=Et(c+s,l))a.push(Object.is(c,-0)?0:c);return a}function jl(i,e,t,n,s,r,o){const a=[],l=i.scales[i.axes[e].scale].log,c=l==10?Ni:yd,u=Hn(c(t));s=Sr(l,u),l==10&&(s=gs[ri(s,gs)]);let h=t,f=s*l;l==10&&(f=gs[ri(f,gs)]);do a.push(h),h=h+s,l==10&&!ss.has(h)&&(h=Et(h,ss.get(s))),h>=f&&(s=h,f=s*l,l==10&&(f=gs[ri(f,gs)]));while(h<=n);return a}function _y(i,e,t,n,s,r,o){let l=i.scales[i.axes[e].scale].asinh,c=n>l?jl(i,e,Sn(l,t),n,s):[l],u=n>=0&&t<=0?[0]:[];return(t<-l?jl(i,e,Sn(l,-n),-t,s):[l]).reverse().map(f=>-f).concat(u,c)}const Wd=/./,vy=/[12357]/,xy=/[125]/,cf=/1/,Kl=(i,e,t,n)=>i.map((s,r)=>e==4&&s==0||r%n==0&&t.test(s.toExponential()[s<0?1:0])?s:null);function My(i,e,t,n,s){let r=i.axes[t],o=r.scale,a=i.scales[o],l=i.valToPos,c=r._space,u=l(10,o),h=l(9,o)-u>=c?Wd:l(7,o)-u>=c?vy:l(5,o)-u>=c?xy:cf;if(h==cf){let f=qt(l(1,o)-u);if(f<c)return Kl(e.slice().reverse(),a.distr,h,qn(c/f)).reverse()}return Kl(e,a.distr,h,1)}function Sy(i,e,t,n,s){let r=i.axes[t],o=r.scale,a=r._space,l=i.valToPos,c=qt(l(1,o)-l(2,o));return c<a?Kl(e.slice().reverse(),3,Wd,qn(a/c)).reverse():e}function yy(i,e,t,n){return n==null?pc:e==null?"":vc(e)}const uf={show:!0,scale:"y",stroke:dc,space:30,gap:5,alignTo:1,size:50,labelGap:0,labelSize:30,labelFont:Vd,side:3,grid:yc,ticks:zd,border:Hd,font:Ec,lineGap:Gd,rotate:0};function Ey(i,e){let t=3+(i||1)*2;return Et(t*e,3)}function by(i,e){let{scale:t,idxs:n}=i.series[0],s=i._data[0],r=i.valToPos(s[n[0]],t,!0),o=i.valToPos(s[n[1]],t,!0),a=qt(o-r),l=i.series[e],c=a/(l.points.space*gt);return n[1]-n[0]<=c}const hf={scale:null,auto:!0,sorted:0,min:yt,max:-yt},Xd=(i,e,t,n,s)=>s,ff={show:!0,auto:!0,sorted:0,gaps:Xd,alpha:1,facets:[Xt({},hf,{scale:"x"}),Xt({},hf,{scale:"y"})]},df={scale:"y",auto:!0,sorted:0,show:!0,spanGaps:!1,gaps:Xd,alpha:1,points:{show:by,filter:null},values:null,min:yt,max:-yt,idxs:[],path:null,clip:null};function wy(i,e,t,n,s){return t/10}const $d={time:KM,auto:!0,distr:1,log:10,asinh:1,min:null,max:null,dir:1,ori:0},Ty=Xt({},$d,{time:!1,ori:1}),pf={};function Yd(i,e){let t=pf[i];return t||(t={key:i,plots:[],sub(n){t.plots.push(n)},unsub(n){t.plots=t.plots.filter(s=>s!=n)},pub(n,s,r,o,a,l,c){for(let u=0;u<t.plots.length;u++)t.plots[u]!=s&&t.plots[u].pub(n,s,r,o,a,l,c)}},i!=null&&(pf[i]=t)),t}const br=1,Zl=2;function Ps(i,e,t){const n=i.mode,s=i.series[e],r=n==2?i._data[e]:i._data,o=i.scales,a=i.bbox;let l=r[0],c=n==2?r[1]:r[e],u=n==2?o[s.facets[0].scale]:o[i.series[0].scale],h=n==2?o[s.facets[1].scale]:o[s.scale],f=a.left,m=a.top,_=a.width,v=a.height,p=i.valToPosH,d=i.valToPosV;return u.ori==0?t(s,l,c,u,h,p,d,f,m,_,v,Ma,Ar,ya,jd,Zd):t(s,l,c,u,h,d,p,m,f,v,_,Sa,Rr,Tc,Kd,Jd)}function bc(i,e){let t=0,n=0,s=dt(i.bands,xc);for(let r=0;r<s.length;r++){let o=s[r];o.series[0]==e?t=o.dir:o.series[1]==e&&(o.dir==1?n|=1:n|=2)}return[t,n==1?-1:n==2?1:n==3?2:0]}function Ay(i,e,t,n,s){let r=i.mode,o=i.series[e],a=r==2?o.facets[1].scale:o.scale,l=i.scales[a];return s==-1?l.min:s==1?l.max:l.distr==3?l.dir==1?l.min:l.max:0}function Oi(i,e,t,n,s,r){return Ps(i,e,(o,a,l,c,u,h,f,m,_,v,p)=>{let d=o.pxRound;const y=c.dir*(c.ori==0?1:-1),x=c.ori==0?Ar:Rr;let b,H;y==1?(b=t,H=n):(b=n,H=t);let T=d(h(a[b],c,v,m)),R=d(f(l[b],u,p,_)),z=d(h(a[H],c,v,m)),w=d(f(r==1?u.max:u.min,u,p,_)),M=new Path2D(s);return x(M,z,w),x(M,T,w),x(M,T,R),M})}function xa(i,e,t,n,s,r){let o=null;if(i.length>0){o=new Path2D;const a=e==0?ya:Tc;let l=t;for(let h=0;h<i.length;h++){let f=i[h];if(f[1]>f[0]){let m=f[0]-l;m>0&&a(o,l,n,m,n+r),l=f[1]}}let c=t+s-l,u=10;c>0&&a(o,l,n-u/2,c,n+r+u)}return o}function Ry(i,e,t){let n=i[i.length-1];n&&n[0]==e?n[1]=t:i.push([e,t])}function wc(i,e,t,n,s,r,o){let a=[],l=i.length;for(let c=s==1?t:n;c>=t&&c<=n;c+=s)if(e[c]===null){let h=c,f=c;if(s==1)for(;++c<=n&&e[c]===null;)f=c;else for(;--c>=t&&e[c]===null;)f=c;let m=r(i[h]),_=f==h?m:r(i[f]),v=h-s;m=o<=0&&v>=0&&v<l?r(i[v]):m;let d=f+s;_=o>=0&&d>=0&&d<l?r(i[d]):_,_>=m&&a.push([m,_])}return a}function mf(i){return i==0?bd:i==1?Yt:e=>ms(e,i)}function qd(i){let e=i==0?Ma:Sa,t=i==0?(s,r,o,a,l,c)=>{s.arcTo(r,o,a,l,c)}:(s,r,o,a,l,c)=>{s.arcTo(o,r,l,a,c)},n=i==0?(s,r,o,a,l)=>{s.rect(r,o,a,l)}:(s,r,o,a,l)=>{s.rect(o,r,l,a)};return(s,r,o,a,l,c=0,u=0)=>{c==0&&u==0?n(s,r,o,a,l):(c=ci(c,a/2,l/2),u=ci(u,a/2,l/2),e(s,r+c,o),t(s,r+a,o,r+a,o+l,c),t(s,r+a,o+l,r,o+l,u),t(s,r,o+l,r,o,u),t(s,r,o,r+a,o,c),s.closePath())}}const Ma=(i,e,t)=>{i.moveTo(e,t)},Sa=(i,e,t)=>{i.moveTo(t,e)},Ar=(i,e,t)=>{i.lineTo(e,t)},Rr=(i,e,t)=>{i.lineTo(t,e)},ya=qd(0),Tc=qd(1),jd=(i,e,t,n,s,r)=>{i.arc(e,t,n,s,r)},Kd=(i,e,t,n,s,r)=>{i.arc(t,e,n,s,r)},Zd=(i,e,t,n,s,r,o)=>{i.bezierCurveTo(e,t,n,s,r,o)},Jd=(i,e,t,n,s,r,o)=>{i.bezierCurveTo(t,e,s,n,o,r)};function Qd(i){return(e,t,n,s,r)=>Ps(e,t,(o,a,l,c,u,h,f,m,_,v,p)=>{let{pxRound:d,points:y}=o,x,b;c.ori==0?(x=Ma,b=jd):(x=Sa,b=Kd);const H=Et(y.width*gt,3);let T=(y.size-y.width)/2*gt,R=Et(T*2,3),z=new Path2D,w=new Path2D,{left:M,top:U,width:G,height:N}=e.bbox;ya(w,M-R,U-R,G+R*2,N+R*2);const Z=X=>{if(l[X]!=null){let se=d(h(a[X],c,v,m)),te=d(f(l[X],u,p,_));x(z,se+T,te),b(z,se,te,T,0,Yo*2)}};if(r)r.forEach(Z);else for(let X=n;X<=s;X++)Z(X);return{stroke:H>0?z:null,fill:z,clip:w,flags:br|Zl}})}function ep(i){return(e,t,n,s,r,o)=>{n!=s&&(r!=n&&o!=n&&i(e,t,n),r!=s&&o!=s&&i(e,t,s),i(e,t,o))}}const Cy=ep(Ar),Py=ep(Rr);function tp(i){const e=dt(i?.alignGaps,0);return(t,n,s,r)=>Ps(t,n,(o,a,l,c,u,h,f,m,_,v,p)=>{[s,r]=ma(l,s,r);let d=o.pxRound,y=N=>d(h(N,c,v,m)),x=N=>d(f(N,u,p,_)),b,H;c.ori==0?(b=Ar,H=Cy):(b=Rr,H=Py);const T=c.dir*(c.ori==0?1:-1),R={stroke:new Path2D,fill:null,clip:null,band:null,gaps:null,flags:br},z=R.stroke;let w=!1;if(r-s>=v*4){let N=V=>t.posToVal(V,c.key,!0),Z=null,X=null,se,te,ne,Y=y(a[T==1?s:r]),q=y(a[s]),fe=y(a[r]),P=N(T==1?q+1:fe-1);for(let V=T==1?s:r;V>=s&&V<=r;V+=T){let D=a[V],ae=(T==1?D<P:D>P)?Y:y(D),B=l[V];ae==Y?B!=null?(te=B,Z==null?(b(z,ae,x(te)),se=Z=X=te):te<Z?Z=te:te>X&&(X=te)):B===null&&(w=!0):(Z!=null&&H(z,Y,x(Z),x(X),x(se),x(te)),B!=null?(te=B,b(z,ae,x(te)),Z=X=se=te):(Z=X=null,B===null&&(w=!0)),Y=ae,P=N(Y+T))}Z!=null&&Z!=X&&ne!=Y&&H(z,Y,x(Z),x(X),x(se),x(te))}else for(let N=T==1?s:r;N>=s&&N<=r;N+=T){let Z=l[N];Z===null?w=!0:Z!=null&&b(z,y(a[N]),x(Z))}let[U,G]=bc(t,n);if(o.fill!=null||U!=0){let N=R.fill=new Path2D(z),Z=o.fillTo(t,n,o.min,o.max,U),X=x(Z),se=y(a[s]),te=y(a[r]);T==-1&&([te,se]=[se,te]),b(N,te,X),b(N,se,X)}if(!o.spanGaps){let N=[];w&&N.push(...wc(a,l,s,r,T,y,e)),R.gaps=N=o.gaps(t,n,s,r,N),R.clip=xa(N,c.ori,m,_,v,p)}return G!=0&&(R.band=G==2?[Oi(t,n,s,r,z,-1),Oi(t,n,s,r,z,1)]:Oi(t,n,s,r,z,G)),R})}function Ly(i){const e=dt(i.align,1),t=dt(i.ascDesc,!1),n=dt(i.alignGaps,0),s=dt(i.extend,!1);return(r,o,a,l)=>Ps(r,o,(c,u,h,f,m,_,v,p,d,y,x)=>{[a,l]=ma(h,a,l);let b=c.pxRound,{left:H,width:T}=r.bbox,R=q=>b(_(q,f,y,p)),z=q=>b(v(q,m,x,d)),w=f.ori==0?Ar:Rr;const M={stroke:new Path2D,fill:null,clip:null,band:null,gaps:null,flags:br},U=M.stroke,G=f.dir*(f.ori==0?1:-1);let N=z(h[G==1?a:l]),Z=R(u[G==1?a:l]),X=Z,se=Z;s&&e==-1&&(se=H,w(U,se,N)),w(U,Z,N);for(let q=G==1?a:l;q>=a&&q<=l;q+=G){let fe=h[q];if(fe==null)continue;let P=R(u[q]),V=z(fe);e==1?w(U,P,N):w(U,X,V),w(U,P,V),N=V,X=P}let te=X;s&&e==1&&(te=H+T,w(U,te,N));let[ne,Y]=bc(r,o);if(c.fill!=null||ne!=0){let q=M.fill=new Path2D(U),fe=c.fillTo(r,o,c.min,c.max,ne),P=z(fe);w(q,te,P),w(q,se,P)}if(!c.spanGaps){let q=[];q.push(...wc(u,h,a,l,G,R,n));let fe=c.width*gt/2,P=t||e==1?fe:-fe,V=t||e==-1?-fe:fe;q.forEach(D=>{D[0]+=P,D[1]+=V}),M.gaps=q=c.gaps(r,o,a,l,q),M.clip=xa(q,f.ori,p,d,y,x)}return Y!=0&&(M.band=Y==2?[Oi(r,o,a,l,U,-1),Oi(r,o,a,l,U,1)]:Oi(r,o,a,l,U,Y)),M})}function gf(i,e,t,n,s,r,o=yt){if(i.length>1){let a=null;for(let l=0,c=1/0;l<i.length;l++)if(e[l]!==void 0){if(a!=null){let u=qt(i[l]-i[a]);u<c&&(c=u,o=qt(t(i[l],n,s,r)-t(i[a],n,s,r)))}a=l}}return o}function Dy(i){i=i||Zr;const e=dt(i.size,[.6,yt,1]),t=i.align||0,n=i.gap||0;let s=i.radius;s=s==null?[0,0]:typeof s=="number"?[s,0]:s;const r=at(s),o=1-e[0],a=dt(e[1],yt),l=dt(e[2],1),c=dt(i.disp,Zr),u=dt(i.each,m=>{}),{fill:h,stroke:f}=c;return(m,_,v,p)=>Ps(m,_,(d,y,x,b,H,T,R,z,w,M,U)=>{let G=d.pxRound,N=t,Z=n*gt,X=a*gt,se=l*gt,te,ne;b.ori==0?[te,ne]=r(m,_):[ne,te]=r(m,_);const Y=b.dir*(b.ori==0?1:-1);let q=b.ori==0?ya:Tc,fe=b.ori==0?u:(de,Se,Ee,Xe,Te,ke,Qe)=>{u(de,Se,Ee,Te,Xe,Qe,ke)},P=dt(m.bands,xc).find(de=>de.series[0]==_),V=P!=null?P.dir:0,D=d.fillTo(m,_,d.min,d.max,V),K=G(R(D,H,U,w)),ae,B,Q,j=M,F=G(d.width*gt),_e=!1,xe=null,be=null,Me=null,Ce=null;h!=null&&(F==0||f!=null)&&(_e=!0,xe=h.values(m,_,v,p),be=new Map,new Set(xe).forEach(de=>{de!=null&&be.set(de,new Path2D)}),F>0&&(Me=f.values(m,_,v,p),Ce=new Map,new Set(Me).forEach(de=>{de!=null&&Ce.set(de,new Path2D)})));let{x0:Ie,size:Ke}=c;if(Ie!=null&&Ke!=null){N=1,y=Ie.values(m,_,v,p),Ie.unit==2&&(y=y.map(Ee=>m.posToVal(z+Ee*M,b.key,!0)));let de=Ke.values(m,_,v,p);Ke.unit==2?B=de[0]*M:B=T(de[0],b,M,z)-T(0,b,M,z),j=gf(y,x,T,b,M,z,j),Q=j-B+Z}else j=gf(y,x,T,b,M,z,j),Q=j*o+Z,B=j-Q;Q<1&&(Q=0),F>=B/2&&(F=0),Q<5&&(G=bd);let pt=Q>0,k=j-Q-(pt?F:0);B=G(ql(k,se,X)),ae=(N==0?B/2:N==Y?0:B)-N*Y*((N==0?Z/2:0)+(pt?F/2:0));const A={stroke:null,fill:null,clip:null,band:null,gaps:null,flags:0},ce=_e?null:new Path2D;let pe=null;if(P!=null)pe=m.data[P.series[1]];else{let{y0:de,y1:Se}=c;de!=null&&Se!=null&&(x=Se.values(m,_,v,p),pe=de.values(m,_,v,p))}let ve=te*B,he=ne*B;for(let de=Y==1?v:p;de>=v&&de<=p;de+=Y){let Se=x[de];if(Se==null)continue;if(pe!=null){let Ve=pe[de]??0;if(Se-Ve==0)continue;K=R(Ve,H,U,w)}let Ee=b.distr!=2||c!=null?y[de]:de,Xe=T(Ee,b,M,z),Te=R(dt(Se,D),H,U,w),ke=G(Xe-ae),Qe=G(Sn(Te,K)),Be=G(ci(Te,K)),Pe=Qe-Be;if(Se!=null){let Ve=Se<0?he:ve,$e=Se<0?ve:he;_e?(F>0&&Me[de]!=null&&q(Ce.get(Me[de]),ke,Be+Hn(F/2),B,Sn(0,Pe-F),Ve,$e),xe[de]!=null&&q(be.get(xe[de]),ke,Be+Hn(F/2),B,Sn(0,Pe-F),Ve,$e)):q(ce,ke,Be+Hn(F/2),B,Sn(0,Pe-F),Ve,$e),fe(m,_,de,ke-F/2,Be,B+F,Pe)}}return F>0?A.stroke=_e?Ce:ce:_e||(A._fill=d.width==0?d._fill:d._stroke??d._fill,A.width=0),A.fill=_e?be:ce,A})}function Uy(i,e){const t=dt(e?.alignGaps,0);return(n,s,r,o)=>Ps(n,s,(a,l,c,u,h,f,m,_,v,p,d)=>{[r,o]=ma(c,r,o);let y=a.pxRound,x=te=>y(f(te,u,p,_)),b=te=>y(m(te,h,d,v)),H,T,R;u.ori==0?(H=Ma,R=Ar,T=Zd):(H=Sa,R=Rr,T=Jd);const z=u.dir*(u.ori==0?1:-1);let w=x(l[z==1?r:o]),M=w,U=[],G=[];for(let te=z==1?r:o;te>=r&&te<=o;te+=z)if(c[te]!=null){let Y=l[te],q=x(Y);U.push(M=q),G.push(b(c[te]))}const N={stroke:i(U,G,H,R,T,y),fill:null,clip:null,band:null,gaps:null,flags:br},Z=N.stroke;let[X,se]=bc(n,s);if(a.fill!=null||X!=0){let te=N.fill=new Path2D(Z),ne=a.fillTo(n,s,a.min,a.max,X),Y=b(ne);R(te,M,Y),R(te,w,Y)}if(!a.spanGaps){let te=[];te.push(...wc(l,c,r,o,z,x,t)),N.gaps=te=a.gaps(n,s,r,o,te),N.clip=xa(te,u.ori,_,v,p,d)}return se!=0&&(N.band=se==2?[Oi(n,s,r,o,Z,-1),Oi(n,s,r,o,Z,1)]:Oi(n,s,r,o,Z,se)),N})}function Iy(i){return Uy(Ny,i)}function Ny(i,e,t,n,s,r){const o=i.length;if(o<2)return null;const a=new Path2D;if(t(a,i[0],e[0]),o==2)n(a,i[1],e[1]);else{let l=Array(o),c=Array(o-1),u=Array(o-1),h=Array(o-1);for(let f=0;f<o-1;f++)u[f]=e[f+1]-e[f],h[f]=i[f+1]-i[f],c[f]=u[f]/h[f];l[0]=c[0];for(let f=1;f<o-1;f++)c[f]===0||c[f-1]===0||c[f-1]>0!=c[f]>0?l[f]=0:(l[f]=3*(h[f-1]+h[f])/((2*h[f]+h[f-1])/c[f-1]+(h[f]+2*h[f-1])/c[f]),isFinite(l[f])||(l[f]=0));l[o-1]=c[o-2];for(let f=0;f<o-1;f++)s(a,i[f]+h[f]/3,e[f]+l[f]*h[f]/3,i[f+1]-h[f]/3,e[f+1]-l[f+1]*h[f]/3,i[f+1],e[f+1])}return a}const Jl=new Set;function _f(){for(let i of Jl)i.syncRect(!0)}Tr&&(bs(mS,mr,_f),bs(gS,mr,_f,!0),bs(ia,mr,()=>{pn.pxRatio=gt}));const Oy=tp(),Fy=Qd();function vf(i,e,t,n){return(n?[i[0],i[1]].concat(i.slice(2)):[i[0]].concat(i.slice(1))).map((r,o)=>Ql(r,o,e,t))}function ky(i,e){return i.map((t,n)=>n==0?{}:Xt({},e,t))}function Ql(i,e,t,n){return Xt({},e==0?t:n,i)}function np(i,e,t){return e==null?yr:[e,t]}const By=np;function zy(i,e,t){return e==null?yr:sa(e,t,_c,!0)}function ip(i,e,t,n){return e==null?yr:ga(e,t,i.scales[n].log,!1)}const Hy=ip;function sp(i,e,t,n){return e==null?yr:gc(e,t,i.scales[n].log,!1)}const Vy=sp;function Gy(i,e,t,n,s){let r=Sn(jh(i),jh(e)),o=e-i,a=ri(s/n*o,t);do{let l=t[a],c=n*l/o;if(c>=s&&r+(l<5?ss.get(l):0)<=17)return[l,c]}while(++a<t.length);return[0,0]}function xf(i){let e,t;return i=i.replace(/(\d+)px/,(n,s)=>(e=Yt((t=+s)*gt))+"px"),[i,e,t]}function Wy(i){i.show&&[i.font,i.labelFont].forEach(e=>{let t=Et(e[2]*gt,1);e[0]=e[0].replace(/[0-9.]+px/,t+"px"),e[1]=t})}function pn(i,e,t){const n={mode:dt(i.mode,1)},s=n.mode;function r(g,E,L,O){let W=E.valToPct(g);return O+L*(E.dir==-1?1-W:W)}function o(g,E,L,O){let W=E.valToPct(g);return O+L*(E.dir==-1?W:1-W)}function a(g,E,L,O){return E.ori==0?r(g,E,L,O):o(g,E,L,O)}n.valToPosH=r,n.valToPosV=o;let l=!1;n.status=0;const c=n.root=Yn(ZM);if(i.id!=null&&(c.id=i.id),Fn(c,i.class),i.title){let g=Yn(eS,c);g.textContent=i.title}const u=si("canvas"),h=n.ctx=u.getContext("2d"),f=Yn(tS,c);bs("click",f,g=>{g.target===_&&(Tt!=ks||Dt!=Bs)&&an.click(n,g)},!0);const m=n.under=Yn(nS,f);f.appendChild(u);const _=n.over=Yn(iS,f);i=Er(i);const v=+dt(i.pxAlign,1),p=mf(v);(i.plugins||[]).forEach(g=>{g.opts&&(i=g.opts(n,i)||i)});const d=i.ms||.001,y=n.series=s==1?vf(i.series||[],lf,df,!1):ky(i.series||[null],ff),x=n.axes=vf(i.axes||[],af,uf,!0),b=n.scales={},H=n.bands=i.bands||[];H.forEach(g=>{g.fill=at(g.fill||null),g.dir=dt(g.dir,-1)});const T=s==2?y[1].facets[0].scale:y[0].scale,R={axes:dp,series:wa},z=(i.drawOrder||["axes","series"]).map(g=>R[g]);function w(g){const E=g.distr==3?L=>Ni(L>0?L:g.clamp(n,L,g.min,g.max,g.key)):g.distr==4?L=>Tl(L,g.asinh):g.distr==100?L=>g.fwd(L):L=>L;return L=>{let O=E(L),{_min:W,_max:ie}=g,me=ie-W;return(O-W)/me}}function M(g){let E=b[g];if(E==null){let L=(i.scales||Zr)[g]||Zr;if(L.from!=null){M(L.from);let O=Xt({},b[L.from],L,{key:g});O.valToPct=w(O),b[g]=O}else{E=b[g]=Xt({},g==T?$d:Ty,L),E.key=g;let O=E.time,W=E.range,ie=Zi(W);if((g!=T||s==2&&!O)&&(ie&&(W[0]==null||W[1]==null)&&(W={min:W[0]==null?$h:{mode:1,hard:W[0],soft:W[0]},max:W[1]==null?$h:{mode:1,hard:W[1],soft:W[1]}},ie=!1),!ie&&va(W))){let me=W;W=(ye,Ae,Ne)=>Ae==null?yr:sa(Ae,Ne,me)}E.range=at(W||(O?By:g==T?E.distr==3?Hy:E.distr==4?Vy:np:E.distr==3?ip:E.distr==4?sp:zy)),E.auto=at(ie?!1:E.auto),E.clamp=at(E.clamp||wy),E._min=E._max=null,E.valToPct=w(E)}}}M("x"),M("y"),s==1&&y.forEach(g=>{M(g.scale)}),x.forEach(g=>{M(g.scale)});for(let g in i.scales)M(g);const U=b[T],G=U.distr;let N,Z;U.ori==0?(Fn(c,JM),N=r,Z=o):(Fn(c,QM),N=o,Z=r);const X={};for(let g in b){let E=b[g];(E.min!=null||E.max!=null)&&(X[g]={min:E.min,max:E.max},E.min=E.max=null)}const se=i.tzDate||(g=>new Date(Yt(g/d))),te=i.fmtDate||Mc,ne=d==1?JS(se):ty(se),Y=sf(se,nf(d==1?ZS:ey,te)),q=of(se,rf(iy,te)),fe=[],P=n.legend=Xt({},oy,i.legend),V=n.cursor=Xt({},fy,{drag:{y:s==2}},i.cursor),D=P.show,K=V.show,ae=P.markers;P.idxs=fe,ae.width=at(ae.width),ae.dash=at(ae.dash),ae.stroke=at(ae.stroke),ae.fill=at(ae.fill);let B,Q,j,F=[],_e=[],xe,be=!1,Me={};if(P.live){const g=y[1]?y[1].values:null;be=g!=null,xe=be?g(n,1,0):{_:0};for(let E in xe)Me[E]=pc}if(D)if(B=si("table",cS,c),j=si("tbody",null,B),P.mount(n,B),be){Q=si("thead",null,B,j);let g=si("tr",null,Q);si("th",null,g);for(var Ce in xe)si("th",Uh,g).textContent=Ce}else Fn(B,hS),P.live&&Fn(B,uS);const Ie={show:!0},Ke={show:!1};function pt(g,E){if(E==0&&(be||!P.live||s==2))return yr;let L=[],O=si("tr",fS,j,j.childNodes[E]);Fn(O,g.class),g.show||Fn(O,Ms);let W=si("th",null,O);if(ae.show){let ye=Yn(dS,W);if(E>0){let Ae=ae.width(n,E);Ae&&(ye.style.border=Ae+"px "+ae.dash(n,E)+" "+ae.stroke(n,E)),ye.style.background=ae.fill(n,E)}}let ie=Yn(Uh,W);g.label instanceof HTMLElement?ie.appendChild(g.label):ie.textContent=g.label,E>0&&(ae.show||(ie.style.color=g.width>0?ae.stroke(n,E):ae.fill(n,E)),A("click",W,ye=>{if(V._lock)return;ut(ye);let Ae=y.indexOf(g);if((ye.ctrlKey||ye.metaKey)!=P.isolate){let Ne=y.some((Oe,Fe)=>Fe>0&&Fe!=Ae&&Oe.show);y.forEach((Oe,Fe)=>{Fe>0&&hi(Fe,Ne?Fe==Ae?Ie:Ke:Ie,!0,Gt.setSeries)})}else hi(Ae,{show:!g.show},!0,Gt.setSeries)},!1),mn&&A(Fh,W,ye=>{V._lock||(ut(ye),hi(y.indexOf(g),Hs,!0,Gt.setSeries))},!1));for(var me in xe){let ye=si("td",pS,O);ye.textContent="--",L.push(ye)}return[O,L]}const k=new Map;function A(g,E,L,O=!0){const W=k.get(E)||{},ie=V.bind[g](n,E,L,O);ie&&(bs(g,E,W[g]=ie),k.set(E,W))}function ce(g,E,L){const O=k.get(E)||{};for(let W in O)(g==null||W==g)&&(Yl(W,E,O[W]),delete O[W]);g==null&&k.delete(E)}let pe=0,ve=0,he=0,de=0,Se=0,Ee=0,Xe=Se,Te=Ee,ke=he,Qe=de,Be=0,Pe=0,Ve=0,$e=0;n.bbox={};let ht=!1,Ze=!1,S=!1,J=!1,re=!1,ge=!1;function Re(g,E,L){(L||g!=n.width||E!=n.height)&&et(g,E),Is(!1),S=!0,Ze=!0,Ns()}function et(g,E){n.width=pe=he=g,n.height=ve=de=E,Se=Ee=0,lt(),It();let L=n.bbox;Be=L.left=ms(Se*gt,.5),Pe=L.top=ms(Ee*gt,.5),Ve=L.width=ms(he*gt,.5),$e=L.height=ms(de*gt,.5)}const it=3;function bt(){let g=!1,E=0;for(;!g;){E++;let L=hp(E),O=fp(E);g=E==it||L&&O,g||(et(n.width,n.height),Ze=!0)}}function zt({width:g,height:E}){Re(g,E)}n.setSize=zt;function lt(){let g=!1,E=!1,L=!1,O=!1;x.forEach((W,ie)=>{if(W.show&&W._show){let{side:me,_size:ye}=W,Ae=me%2,Ne=W.label!=null?W.labelSize:0,Oe=ye+Ne;Oe>0&&(Ae?(he-=Oe,me==3?(Se+=Oe,O=!0):L=!0):(de-=Oe,me==0?(Ee+=Oe,g=!0):E=!0))}}),C[0]=g,C[1]=L,C[2]=E,C[3]=O,he-=oe[1]+oe[3],Se+=oe[3],de-=oe[2]+oe[0],Ee+=oe[0]}function It(){let g=Se+he,E=Ee+de,L=Se,O=Ee;function W(ie,me){switch(ie){case 1:return g+=me,g-me;case 2:return E+=me,E-me;case 3:return L-=me,L+me;case 0:return O-=me,O+me}}x.forEach((ie,me)=>{if(ie.show&&ie._show){let ye=ie.side;ie._pos=W(ye,ie._size),ie.label!=null&&(ie._lpos=W(ye,ie.labelSize))}})}if(V.dataIdx==null){let g=V.hover,E=g.skip=new Set(g.skip??[]);E.add(void 0);let L=g.prox=at(g.prox),O=g.bias??=0;V.dataIdx=(W,ie,me,ye)=>{if(ie==0)return me;let Ae=me,Ne=L(W,ie,me,ye)??yt,Oe=Ne>=0&&Ne<yt,Fe=U.ori==0?he:de,Je=V.left,mt=e[0],ft=e[ie];if(E.has(ft[me])){Ae=null;let ot=null,Ye=null,He;if(O==0||O==-1)for(He=me;ot==null&&He-- >0;)E.has(ft[He])||(ot=He);if(O==0||O==1)for(He=me;Ye==null&&He++<ft.length;)E.has(ft[He])||(Ye=He);if(ot!=null||Ye!=null)if(Oe){let Rt=ot==null?-1/0:N(mt[ot],U,Fe,0),Nt=Ye==null?1/0:N(mt[Ye],U,Fe,0),nn=Je-Rt,Mt=Nt-Je;nn<=Mt?nn<=Ne&&(Ae=ot):Mt<=Ne&&(Ae=Ye)}else Ae=Ye==null?ot:ot==null?Ye:me-ot<=Ye-me?ot:Ye}else Oe&&qt(Je-N(mt[me],U,Fe,0))>Ne&&(Ae=null);return Ae}}const ut=g=>{V.event=g};V.idxs=fe,V._lock=!1;let wt=V.points;wt.show=at(wt.show),wt.size=at(wt.size),wt.stroke=at(wt.stroke),wt.width=at(wt.width),wt.fill=at(wt.fill);const Ut=n.focus=Xt({},i.focus||{alpha:.3},V.focus),mn=Ut.prox>=0,hn=mn&&wt.one;let Jt=[],Kn=[],Ei=[];function Cr(g,E){let L=wt.show(n,E);if(L instanceof HTMLElement)return Fn(L,lS),Fn(L,g.class),mi(L,-10,-10,he,de),_.insertBefore(L,Jt[E]),L}function ao(g,E){if(s==1||E>0){let L=s==1&&b[g.scale].time,O=g.value;g.value=L?Jh(O)?of(se,rf(O,te)):O||q:O||yy,g.label=g.label||(L?py:dy)}if(hn||E>0){g.width=g.width==null?1:g.width,g.paths=g.paths||Oy||TS,g.fillTo=at(g.fillTo||Ay),g.pxAlign=+dt(g.pxAlign,v),g.pxRound=mf(g.pxAlign),g.stroke=at(g.stroke||null),g.fill=at(g.fill||null),g._stroke=g._fill=g._paths=g._focus=null;let L=Ey(Sn(1,g.width),1),O=g.points=Xt({},{size:L,width:Sn(1,L*.2),stroke:g.stroke,space:L*2,paths:Fy,_stroke:null,_fill:null},g.points);O.show=at(O.show),O.filter=at(O.filter),O.fill=at(O.fill),O.stroke=at(O.stroke),O.paths=at(O.paths),O.pxAlign=g.pxAlign}if(D){let L=pt(g,E);F.splice(E,0,L[0]),_e.splice(E,0,L[1]),P.values.push(null)}if(K){fe.splice(E,0,null);let L=null;hn?E==0&&(L=Cr(g,E)):E>0&&(L=Cr(g,E)),Jt.splice(E,0,L),Kn.splice(E,0,0),Ei.splice(E,0,0)}tn("addSeries",E)}function Ea(g,E){E=E??y.length,g=s==1?Ql(g,E,lf,df):Ql(g,E,{},ff),y.splice(E,0,g),ao(y[E],E)}n.addSeries=Ea;function ba(g){if(y.splice(g,1),D){P.values.splice(g,1),_e.splice(g,1);let E=F.splice(g,1)[0];ce(null,E.firstChild),E.remove()}K&&(fe.splice(g,1),Jt.splice(g,1)[0].remove(),Kn.splice(g,1),Ei.splice(g,1)),tn("delSeries",g)}n.delSeries=ba;const C=[!1,!1,!1,!1];function ee(g,E){if(g._show=g.show,g.show){let L=g.side%2,O=b[g.scale];O==null&&(g.scale=L?y[1].scale:T,O=b[g.scale]);let W=O.time;g.size=at(g.size),g.space=at(g.space),g.rotate=at(g.rotate),Zi(g.incrs)&&g.incrs.forEach(me=>{!ss.has(me)&&ss.set(me,Ad(me))}),g.incrs=at(g.incrs||(O.distr==2?qS:W?d==1?KS:QS:gs)),g.splits=at(g.splits||(W&&O.distr==1?ne:O.distr==3?jl:O.distr==4?_y:gy)),g.stroke=at(g.stroke),g.grid.stroke=at(g.grid.stroke),g.ticks.stroke=at(g.ticks.stroke),g.border.stroke=at(g.border.stroke);let ie=g.values;g.values=Zi(ie)&&!Zi(ie[0])?at(ie):W?Zi(ie)?sf(se,nf(ie,te)):Jh(ie)?ny(se,ie):ie||Y:ie||my,g.filter=at(g.filter||(O.distr>=3&&O.log==10?My:O.distr==3&&O.log==2?Sy:wd)),g.font=xf(g.font),g.labelFont=xf(g.labelFont),g._size=g.size(n,null,E,0),g._space=g._rotate=g._incrs=g._found=g._splits=g._values=null,g._size>0&&(C[E]=!0,g._el=Yn(sS,f))}}function ue(g,E,L,O){let[W,ie,me,ye]=L,Ae=E%2,Ne=0;return Ae==0&&(ye||ie)&&(Ne=E==0&&!W||E==2&&!me?Yt(af.size/3):0),Ae==1&&(W||me)&&(Ne=E==1&&!ie||E==3&&!ye?Yt(uf.size/2):0),Ne}const le=n.padding=(i.padding||[ue,ue,ue,ue]).map(g=>at(dt(g,ue))),oe=n._padding=le.map((g,E)=>g(n,E,C,0));let we,Le=null,De=null;const We=s==1?y[0].idxs:null;let Ge=null,qe=!1;function tt(g,E){if(e=g??[],n.data=n._data=e,s==2){we=0;for(let L=1;L<y.length;L++)we+=e[L][0].length}else{e.length==0&&(n.data=n._data=e=[[]]),Ge=e[0],we=Ge.length;let L=e;if(G==2){L=e.slice();let O=L[0]=Array(we);for(let W=0;W<we;W++)O[W]=W}n._data=e=L}if(Is(!0),tn("setData"),G==2&&(S=!0),E!==!1){let L=U;L.auto(n,qe)?Lt():Hi(T,L.min,L.max),J=J||V.left>=0,ge=!0,Ns()}}n.setData=tt;function Lt(){qe=!0;let g,E;s==1&&(we>0?(Le=We[0]=0,De=We[1]=we-1,g=e[0][Le],E=e[0][De],G==2?(g=Le,E=De):g==E&&(G==3?[g,E]=ga(g,g,U.log,!1):G==4?[g,E]=gc(g,g,U.log,!1):U.time?E=g+Yt(86400/d):[g,E]=sa(g,E,_c,!0))):(Le=We[0]=g=null,De=We[1]=E=null)),Hi(T,g,E)}let kt,Ht,Ln,ct,je,bi,xt,Zn,Ls,Vt;function Ds(g,E,L,O,W,ie){g??=Nh,L??=xc,O??="butt",W??=Nh,ie??="round",g!=kt&&(h.strokeStyle=kt=g),W!=Ht&&(h.fillStyle=Ht=W),E!=Ln&&(h.lineWidth=Ln=E),ie!=je&&(h.lineJoin=je=ie),O!=bi&&(h.lineCap=bi=O),L!=ct&&h.setLineDash(ct=L)}function $t(g,E,L,O){E!=Ht&&(h.fillStyle=Ht=E),g!=xt&&(h.font=xt=g),L!=Zn&&(h.textAlign=Zn=L),O!=Ls&&(h.textBaseline=Ls=O)}function Gn(g,E,L,O,W=0){if(O.length>0&&g.auto(n,qe)&&(E==null||E.min==null)){let ie=dt(Le,0),me=dt(De,O.length-1),ye=L.min==null?MS(O,ie,me,W,g.distr==3):[L.min,L.max];g.min=ci(g.min,L.min=ye[0]),g.max=Sn(g.max,L.max=ye[1])}}const Us={min:null,max:null};function bn(){for(let O in b){let W=b[O];X[O]==null&&(W.min==null||X[T]!=null&&W.auto(n,qe))&&(X[O]=Us)}for(let O in b){let W=b[O];X[O]==null&&W.from!=null&&X[W.from]!=null&&(X[O]=Us)}X[T]!=null&&Is(!0);let g={};for(let O in X){let W=X[O];if(W!=null){let ie=g[O]=Er(b[O],CS);if(W.min!=null)Xt(ie,W);else if(O!=T||s==2)if(we==0&&ie.from==null){let me=ie.range(n,null,null,O);ie.min=me[0],ie.max=me[1]}else ie.min=yt,ie.max=-yt}}if(we>0){y.forEach((O,W)=>{if(s==1){let ie=O.scale,me=X[ie];if(me==null)return;let ye=g[ie];if(W==0){let Ae=ye.range(n,ye.min,ye.max,ie);ye.min=Ae[0],ye.max=Ae[1],Le=ri(ye.min,e[0]),De=ri(ye.max,e[0]),De-Le>1&&(e[0][Le]<ye.min&&Le++,e[0][De]>ye.max&&De--),O.min=Ge[Le],O.max=Ge[De]}else O.show&&O.auto&&Gn(ye,me,O,e[W],O.sorted);O.idxs[0]=Le,O.idxs[1]=De}else if(W>0&&O.show&&O.auto){let[ie,me]=O.facets,ye=ie.scale,Ae=me.scale,[Ne,Oe]=e[W],Fe=g[ye],Je=g[Ae];Fe!=null&&Gn(Fe,X[ye],ie,Ne,ie.sorted),Je!=null&&Gn(Je,X[Ae],me,Oe,me.sorted),O.min=me.min,O.max=me.max}});for(let O in g){let W=g[O],ie=X[O];if(W.from==null&&(ie==null||ie.min==null)){let me=W.range(n,W.min==yt?null:W.min,W.max==-yt?null:W.max,O);W.min=me[0],W.max=me[1]}}}for(let O in g){let W=g[O];if(W.from!=null){let ie=g[W.from];if(ie.min==null)W.min=W.max=null;else{let me=W.range(n,ie.min,ie.max,O);W.min=me[0],W.max=me[1]}}}let E={},L=!1;for(let O in g){let W=g[O],ie=b[O];if(ie.min!=W.min||ie.max!=W.max){ie.min=W.min,ie.max=W.max;let me=ie.distr;ie._min=me==3?Ni(ie.min):me==4?Tl(ie.min,ie.asinh):me==100?ie.fwd(ie.min):ie.min,ie._max=me==3?Ni(ie.max):me==4?Tl(ie.max,ie.asinh):me==100?ie.fwd(ie.max):ie.max,E[O]=L=!0}}if(L){y.forEach((O,W)=>{s==2?W>0&&E.y&&(O._paths=null):E[O.scale]&&(O._paths=null)});for(let O in E)S=!0,tn("setScale",O);K&&V.left>=0&&(J=ge=!0)}for(let O in X)X[O]=null}function Pr(g){let E=ql(Le-1,0,we-1),L=ql(De+1,0,we-1);for(;g[E]==null&&E>0;)E--;for(;g[L]==null&&L<we-1;)L++;return[E,L]}function wa(){if(we>0){let g=y.some(E=>E._focus)&&Vt!=Ut.alpha;g&&(h.globalAlpha=Vt=Ut.alpha),y.forEach((E,L)=>{if(L>0&&E.show&&(Lr(L,!1),Lr(L,!0),E._paths==null)){let O=Vt;Vt!=E.alpha&&(h.globalAlpha=Vt=E.alpha);let W=s==2?[0,e[L][0].length-1]:Pr(e[L]);E._paths=E.paths(n,L,W[0],W[1]),Vt!=O&&(h.globalAlpha=Vt=O)}}),y.forEach((E,L)=>{if(L>0&&E.show){let O=Vt;Vt!=E.alpha&&(h.globalAlpha=Vt=E.alpha),E._paths!=null&&Ac(L,!1);{let W=E._paths!=null?E._paths.gaps:null,ie=E.points.show(n,L,Le,De,W),me=E.points.filter(n,L,ie,W);(ie||me)&&(E.points._paths=E.points.paths(n,L,Le,De,me),Ac(L,!0))}Vt!=O&&(h.globalAlpha=Vt=O),tn("drawSeries",L)}}),g&&(h.globalAlpha=Vt=1)}}function Lr(g,E){let L=E?y[g].points:y[g];L._stroke=L.stroke(n,g),L._fill=L.fill(n,g)}function Ac(g,E){let L=E?y[g].points:y[g],{stroke:O,fill:W,clip:ie,flags:me,_stroke:ye=L._stroke,_fill:Ae=L._fill,_width:Ne=L.width}=L._paths;Ne=Et(Ne*gt,3);let Oe=null,Fe=Ne%2/2;E&&Ae==null&&(Ae=Ne>0?"#fff":ye);let Je=L.pxAlign==1&&Fe>0;if(Je&&h.translate(Fe,Fe),!E){let mt=Be-Ne/2,ft=Pe-Ne/2,ot=Ve+Ne,Ye=$e+Ne;Oe=new Path2D,Oe.rect(mt,ft,ot,Ye)}E?Ta(ye,Ne,L.dash,L.cap,Ae,O,W,me,ie):cp(g,ye,Ne,L.dash,L.cap,Ae,O,W,me,Oe,ie),Je&&h.translate(-Fe,-Fe)}function cp(g,E,L,O,W,ie,me,ye,Ae,Ne,Oe){let Fe=!1;Ae!=0&&H.forEach((Je,mt)=>{if(Je.series[0]==g){let ft=y[Je.series[1]],ot=e[Je.series[1]],Ye=(ft._paths||Zr).band;Zi(Ye)&&(Ye=Je.dir==1?Ye[0]:Ye[1]);let He,Rt=null;ft.show&&Ye&&yS(ot,Le,De)?(Rt=Je.fill(n,mt)||ie,He=ft._paths.clip):Ye=null,Ta(E,L,O,W,Rt,me,ye,Ae,Ne,Oe,He,Ye),Fe=!0}}),Fe||Ta(E,L,O,W,ie,me,ye,Ae,Ne,Oe)}const Rc=br|Zl;function Ta(g,E,L,O,W,ie,me,ye,Ae,Ne,Oe,Fe){Ds(g,E,L,O,W),(Ae||Ne||Fe)&&(h.save(),Ae&&h.clip(Ae),Ne&&h.clip(Ne)),Fe?(ye&Rc)==Rc?(h.clip(Fe),Oe&&h.clip(Oe),co(W,me),lo(g,ie,E)):ye&Zl?(co(W,me),h.clip(Fe),lo(g,ie,E)):ye&br&&(h.save(),h.clip(Fe),Oe&&h.clip(Oe),co(W,me),h.restore(),lo(g,ie,E)):(co(W,me),lo(g,ie,E)),(Ae||Ne||Fe)&&h.restore()}function lo(g,E,L){L>0&&(E instanceof Map?E.forEach((O,W)=>{h.strokeStyle=kt=W,h.stroke(O)}):E!=null&&g&&h.stroke(E))}function co(g,E){E instanceof Map?E.forEach((L,O)=>{h.fillStyle=Ht=O,h.fill(L)}):E!=null&&g&&h.fill(E)}function up(g,E,L,O){let W=x[g],ie;if(O<=0)ie=[0,0];else{let me=W._space=W.space(n,g,E,L,O),ye=W._incrs=W.incrs(n,g,E,L,O,me);ie=Gy(E,L,ye,O,me)}return W._found=ie}function Aa(g,E,L,O,W,ie,me,ye,Ae,Ne){let Oe=me%2/2;v==1&&h.translate(Oe,Oe),Ds(ye,me,Ae,Ne,ye),h.beginPath();let Fe,Je,mt,ft,ot=W+(O==0||O==3?-ie:ie);L==0?(Je=W,ft=ot):(Fe=W,mt=ot);for(let Ye=0;Ye<g.length;Ye++)E[Ye]!=null&&(L==0?Fe=mt=g[Ye]:Je=ft=g[Ye],h.moveTo(Fe,Je),h.lineTo(mt,ft));h.stroke(),v==1&&h.translate(-Oe,-Oe)}function hp(g){let E=!0;return x.forEach((L,O)=>{if(!L.show)return;let W=b[L.scale];if(W.min==null){L._show&&(E=!1,L._show=!1,Is(!1));return}else L._show||(E=!1,L._show=!0,Is(!1));let ie=L.side,me=ie%2,{min:ye,max:Ae}=W,[Ne,Oe]=up(O,ye,Ae,me==0?he:de);if(Oe==0)return;let Fe=W.distr==2,Je=L._splits=L.splits(n,O,ye,Ae,Ne,Oe,Fe),mt=W.distr==2?Je.map(He=>Ge[He]):Je,ft=W.distr==2?Ge[Je[1]]-Ge[Je[0]]:Ne,ot=L._values=L.values(n,L.filter(n,mt,O,Oe,ft),O,Oe,ft);L._rotate=ie==2?L.rotate(n,ot,O,Oe):0;let Ye=L._size;L._size=qn(L.size(n,ot,O,g)),Ye!=null&&L._size!=Ye&&(E=!1)}),E}function fp(g){let E=!0;return le.forEach((L,O)=>{let W=L(n,O,C,g);W!=oe[O]&&(E=!1),oe[O]=W}),E}function dp(){for(let g=0;g<x.length;g++){let E=x[g];if(!E.show||!E._show)continue;let L=E.side,O=L%2,W,ie,me=E.stroke(n,g),ye=L==0||L==3?-1:1,[Ae,Ne]=E._found;if(E.label!=null){let _n=E.labelGap*ye,In=Yt((E._lpos+_n)*gt);$t(E.labelFont[0],me,"center",L==2?Vr:Ih),h.save(),O==1?(W=ie=0,h.translate(In,Yt(Pe+$e/2)),h.rotate((L==3?-Yo:Yo)/2)):(W=Yt(Be+Ve/2),ie=In);let as=Ed(E.label)?E.label(n,g,Ae,Ne):E.label;h.fillText(as,W,ie),h.restore()}if(Ne==0)continue;let Oe=b[E.scale],Fe=O==0?Ve:$e,Je=O==0?Be:Pe,mt=E._splits,ft=Oe.distr==2?mt.map(_n=>Ge[_n]):mt,ot=Oe.distr==2?Ge[mt[1]]-Ge[mt[0]]:Ae,Ye=E.ticks,He=E.border,Rt=Ye.show?Ye.size:0,Nt=Yt(Rt*gt),nn=Yt((E.alignTo==2?E._size-Rt-E.gap:E.gap)*gt),Mt=E._rotate*-Yo/180,Ot=p(E._pos*gt),Dn=(Nt+nn)*ye,gn=Ot+Dn;ie=O==0?gn:0,W=O==1?gn:0;let Wn=E.font[0],Jn=E.align==1?lr:E.align==2?El:Mt>0?lr:Mt<0?El:O==0?"center":L==3?El:lr,di=Mt||O==1?"middle":L==2?Vr:Ih;$t(Wn,me,Jn,di);let Un=E.font[1]*E.lineGap,Xn=mt.map(_n=>p(a(_n,Oe,Fe,Je))),Qn=E._values;for(let _n=0;_n<Qn.length;_n++){let In=Qn[_n];if(In!=null){O==0?W=Xn[_n]:ie=Xn[_n],In=""+In;let as=In.indexOf(`
`)==-1?[In]:In.split(/\n/gm);for(let vn=0;vn<as.length;vn++){let Yc=as[vn];Mt?(h.save(),h.translate(W,ie+vn*Un),h.rotate(Mt),h.fillText(Yc,0,0),h.restore()):h.fillText(Yc,W,ie+vn*Un)}}}Ye.show&&Aa(Xn,Ye.filter(n,ft,g,Ne,ot),O,L,Ot,Nt,Et(Ye.width*gt,3),Ye.stroke(n,g),Ye.dash,Ye.cap);let pi=E.grid;pi.show&&Aa(Xn,pi.filter(n,ft,g,Ne,ot),O,O==0?2:1,O==0?Pe:Be,O==0?$e:Ve,Et(pi.width*gt,3),pi.stroke(n,g),pi.dash,pi.cap),He.show&&Aa([Ot],[1],O==0?1:0,O==0?1:2,O==1?Pe:Be,O==1?$e:Ve,Et(He.width*gt,3),He.stroke(n,g),He.dash,He.cap)}tn("drawAxes")}function Is(g){y.forEach((E,L)=>{L>0&&(E._paths=null,g&&(s==1?(E.min=null,E.max=null):E.facets.forEach(O=>{O.min=null,O.max=null})))})}let uo=!1,Ra=!1,Dr=[];function pp(){Ra=!1;for(let g=0;g<Dr.length;g++)tn(...Dr[g]);Dr.length=0}function Ns(){uo||(OS(Cc),uo=!0)}function mp(g,E=!1){uo=!0,Ra=E,g(n),Cc(),E&&Dr.length>0&&queueMicrotask(pp)}n.batch=mp;function Cc(){if(ht&&(bn(),ht=!1),S&&(bt(),S=!1),Ze){if(Ct(m,lr,Se),Ct(m,Vr,Ee),Ct(m,Xr,he),Ct(m,$r,de),Ct(_,lr,Se),Ct(_,Vr,Ee),Ct(_,Xr,he),Ct(_,$r,de),Ct(f,Xr,pe),Ct(f,$r,ve),u.width=Yt(pe*gt),u.height=Yt(ve*gt),x.forEach(({_el:g,_show:E,_size:L,_pos:O,side:W})=>{if(g!=null)if(E){let ie=W===3||W===0?L:0,me=W%2==1;Ct(g,me?"left":"top",O-ie),Ct(g,me?"width":"height",L),Ct(g,me?"top":"left",me?Ee:Se),Ct(g,me?"height":"width",me?de:he),$l(g,Ms)}else Fn(g,Ms)}),kt=Ht=Ln=je=bi=xt=Zn=Ls=ct=null,Vt=1,Nr(!0),Se!=Xe||Ee!=Te||he!=ke||de!=Qe){Is(!1);let g=he/ke,E=de/Qe;if(K&&!J&&V.left>=0){V.left*=g,V.top*=E,Os&&mi(Os,Yt(V.left),0,he,de),Fs&&mi(Fs,0,Yt(V.top),he,de);for(let L=0;L<Jt.length;L++){let O=Jt[L];O!=null&&(Kn[L]*=g,Ei[L]*=E,mi(O,qn(Kn[L]),qn(Ei[L]),he,de))}}if(At.show&&!re&&At.left>=0&&At.width>0){At.left*=g,At.width*=g,At.top*=E,At.height*=E;for(let L in Ia)Ct(zs,L,At[L])}Xe=Se,Te=Ee,ke=he,Qe=de}tn("setSize"),Ze=!1}pe>0&&ve>0&&(h.clearRect(0,0,u.width,u.height),tn("drawClear"),z.forEach(g=>g()),tn("draw")),At.show&&re&&(ho(At),re=!1),K&&J&&(os(null,!0,!1),J=!1),P.show&&P.live&&ge&&(Da(),ge=!1),l||(l=!0,n.status=1,tn("ready")),qe=!1,uo=!1}n.redraw=(g,E)=>{S=E||!1,g!==!1?Hi(T,U.min,U.max):Ns()};function Ca(g,E){let L=b[g];if(L.from==null){if(we==0){let O=L.range(n,E.min,E.max,g);E.min=O[0],E.max=O[1]}if(E.min>E.max){let O=E.min;E.min=E.max,E.max=O}if(we>1&&E.min!=null&&E.max!=null&&E.max-E.min<1e-16)return;g==T&&L.distr==2&&we>0&&(E.min=ri(E.min,e[0]),E.max=ri(E.max,e[0]),E.min==E.max&&E.max++),X[g]=E,ht=!0,Ns()}}n.setScale=Ca;let Pa,La,Os,Fs,Pc,Lc,ks,Bs,Dc,Uc,Tt,Dt,zi=!1;const an=V.drag;let Qt=an.x,en=an.y;K&&(V.x&&(Pa=Yn(oS,_)),V.y&&(La=Yn(aS,_)),U.ori==0?(Os=Pa,Fs=La):(Os=La,Fs=Pa),Tt=V.left,Dt=V.top);const At=n.select=Xt({show:!0,over:!0,left:0,width:0,top:0,height:0},i.select),zs=At.show?Yn(rS,At.over?_:m):null;function ho(g,E){if(At.show){for(let L in g)At[L]=g[L],L in Ia&&Ct(zs,L,g[L]);E!==!1&&tn("setSelect")}}n.setSelect=ho;function gp(g){if(y[g].show)D&&$l(F[g],Ms);else if(D&&Fn(F[g],Ms),K){let L=hn?Jt[0]:Jt[g];L!=null&&mi(L,-10,-10,he,de)}}function Hi(g,E,L){Ca(g,{min:E,max:L})}function hi(g,E,L,O){E.focus!=null&&Sp(g),E.show!=null&&y.forEach((W,ie)=>{ie>0&&(g==ie||g==null)&&(W.show=E.show,gp(ie),s==2?(Hi(W.facets[0].scale,null,null),Hi(W.facets[1].scale,null,null)):Hi(W.scale,null,null),Ns())}),L!==!1&&tn("setSeries",g,E),O&&Or("setSeries",n,g,E)}n.setSeries=hi;function _p(g,E){Xt(H[g],E)}function vp(g,E){g.fill=at(g.fill||null),g.dir=dt(g.dir,-1),E=E??H.length,H.splice(E,0,g)}function xp(g){g==null?H.length=0:H.splice(g,1)}n.addBand=vp,n.setBand=_p,n.delBand=xp;function Mp(g,E){y[g].alpha=E,K&&Jt[g]!=null&&(Jt[g].style.opacity=E),D&&F[g]&&(F[g].style.opacity=E)}let wi,Vi,rs;const Hs={focus:!0};function Sp(g){if(g!=rs){let E=g==null,L=Ut.alpha!=1;y.forEach((O,W)=>{if(s==1||W>0){let ie=E||W==0||W==g;O._focus=E?null:ie,L&&Mp(W,ie?1:Ut.alpha)}}),rs=g,L&&Ns()}}D&&mn&&A(kh,B,g=>{V._lock||(ut(g),rs!=null&&hi(null,Hs,!0,Gt.setSeries))});function fi(g,E,L){let O=b[E];L&&(g=g/gt-(O.ori==1?Ee:Se));let W=he;O.ori==1&&(W=de,g=W-g),O.dir==-1&&(g=W-g);let ie=O._min,me=O._max,ye=g/W,Ae=ie+(me-ie)*ye,Ne=O.distr;return Ne==3?Sr(10,Ae):Ne==4?bS(Ae,O.asinh):Ne==100?O.bwd(Ae):Ae}function yp(g,E){let L=fi(g,T,E);return ri(L,e[0],Le,De)}n.valToIdx=g=>ri(g,e[0]),n.posToIdx=yp,n.posToVal=fi,n.valToPos=(g,E,L)=>b[E].ori==0?r(g,b[E],L?Ve:he,L?Be:0):o(g,b[E],L?$e:de,L?Pe:0),n.setCursor=(g,E,L)=>{Tt=g.left,Dt=g.top,os(null,E,L)};function Ic(g,E){Ct(zs,lr,At.left=g),Ct(zs,Xr,At.width=E)}function Nc(g,E){Ct(zs,Vr,At.top=g),Ct(zs,$r,At.height=E)}let Ur=U.ori==0?Ic:Nc,Ir=U.ori==1?Ic:Nc;function Ep(){if(D&&P.live)for(let g=s==2?1:0;g<y.length;g++){if(g==0&&be)continue;let E=P.values[g],L=0;for(let O in E)_e[g][L++].firstChild.nodeValue=E[O]}}function Da(g,E){if(g!=null&&(g.idxs?g.idxs.forEach((L,O)=>{fe[O]=L}):RS(g.idx)||fe.fill(g.idx),P.idx=fe[0]),D&&P.live){for(let L=0;L<y.length;L++)(L>0||s==1&&!be)&&bp(L,fe[L]);Ep()}ge=!1,E!==!1&&tn("setLegend")}n.setLegend=Da;function bp(g,E){let L=y[g],O=g==0&&G==2?Ge:e[g],W;be?W=L.values(n,g,E)??Me:(W=L.value(n,E==null?null:O[E],g,E),W=W==null?Me:{_:W}),P.values[g]=W}function os(g,E,L){Dc=Tt,Uc=Dt,[Tt,Dt]=V.move(n,Tt,Dt),V.left=Tt,V.top=Dt,K&&(Os&&mi(Os,Yt(Tt),0,he,de),Fs&&mi(Fs,0,Yt(Dt),he,de));let O,W=Le>De;wi=yt,Vi=null;let ie=U.ori==0?he:de,me=U.ori==1?he:de;if(Tt<0||we==0||W){O=V.idx=null;for(let ye=0;ye<y.length;ye++){let Ae=Jt[ye];Ae!=null&&mi(Ae,-10,-10,he,de)}mn&&hi(null,Hs,!0,g==null&&Gt.setSeries),P.live&&(fe.fill(O),ge=!0)}else{let ye,Ae,Ne;s==1&&(ye=U.ori==0?Tt:Dt,Ae=fi(ye,T),O=V.idx=ri(Ae,e[0],Le,De),Ne=N(e[0][O],U,ie,0));let Oe=-10,Fe=-10,Je=0,mt=0,ft=!0,ot="",Ye="";for(let He=s==2?1:0;He<y.length;He++){let Rt=y[He],Nt=fe[He],nn=Nt==null?null:s==1?e[He][Nt]:e[He][1][Nt],Mt=V.dataIdx(n,He,O,Ae),Ot=Mt==null?null:s==1?e[He][Mt]:e[He][1][Mt];if(ge=ge||Ot!=nn||Mt!=Nt,fe[He]=Mt,He>0&&Rt.show){let Dn=Mt==null?-10:Mt==O?Ne:N(s==1?e[0][Mt]:e[He][0][Mt],U,ie,0),gn=Ot==null?-10:Z(Ot,s==1?b[Rt.scale]:b[Rt.facets[1].scale],me,0);if(mn&&Ot!=null){let Wn=U.ori==1?Tt:Dt,Jn=qt(Ut.dist(n,He,Mt,gn,Wn));if(Jn<wi){let di=Ut.bias;if(di!=0){let Un=fi(Wn,Rt.scale),Xn=Ot>=0?1:-1,Qn=Un>=0?1:-1;Qn==Xn&&(Qn==1?di==1?Ot>=Un:Ot<=Un:di==1?Ot<=Un:Ot>=Un)&&(wi=Jn,Vi=He)}else wi=Jn,Vi=He}}if(ge||hn){let Wn,Jn;U.ori==0?(Wn=Dn,Jn=gn):(Wn=gn,Jn=Dn);let di,Un,Xn,Qn,pi,_n,In=!0,as=wt.bbox;if(as!=null){In=!1;let vn=as(n,He);Xn=vn.left,Qn=vn.top,di=vn.width,Un=vn.height}else Xn=Wn,Qn=Jn,di=Un=wt.size(n,He);if(_n=wt.fill(n,He),pi=wt.stroke(n,He),hn)He==Vi&&wi<=Ut.prox&&(Oe=Xn,Fe=Qn,Je=di,mt=Un,ft=In,ot=_n,Ye=pi);else{let vn=Jt[He];vn!=null&&(Kn[He]=Xn,Ei[He]=Qn,Xh(vn,di,Un,In),Gh(vn,_n,pi),mi(vn,qn(Xn),qn(Qn),he,de))}}}}if(hn){let He=Ut.prox,Rt=rs==null?wi<=He:wi>He||Vi!=rs;if(ge||Rt){let Nt=Jt[0];Nt!=null&&(Kn[0]=Oe,Ei[0]=Fe,Xh(Nt,Je,mt,ft),Gh(Nt,ot,Ye),mi(Nt,qn(Oe),qn(Fe),he,de))}}}if(At.show&&zi)if(g!=null){let[ye,Ae]=Gt.scales,[Ne,Oe]=Gt.match,[Fe,Je]=g.cursor.sync.scales,mt=g.cursor.drag;if(Qt=mt._x,en=mt._y,Qt||en){let{left:ft,top:ot,width:Ye,height:He}=g.select,Rt=g.scales[Fe].ori,Nt=g.posToVal,nn,Mt,Ot,Dn,gn,Wn=ye!=null&&Ne(ye,Fe),Jn=Ae!=null&&Oe(Ae,Je);Wn&&Qt?(Rt==0?(nn=ft,Mt=Ye):(nn=ot,Mt=He),Ot=b[ye],Dn=N(Nt(nn,Fe),Ot,ie,0),gn=N(Nt(nn+Mt,Fe),Ot,ie,0),Ur(ci(Dn,gn),qt(gn-Dn))):Ur(0,ie),Jn&&en?(Rt==1?(nn=ft,Mt=Ye):(nn=ot,Mt=He),Ot=b[Ae],Dn=Z(Nt(nn,Je),Ot,me,0),gn=Z(Nt(nn+Mt,Je),Ot,me,0),Ir(ci(Dn,gn),qt(gn-Dn))):Ir(0,me)}else Na()}else{let ye=qt(Dc-Pc),Ae=qt(Uc-Lc);if(U.ori==1){let Je=ye;ye=Ae,Ae=Je}Qt=an.x&&ye>=an.dist,en=an.y&&Ae>=an.dist;let Ne=an.uni;Ne!=null?Qt&&en&&(Qt=ye>=Ne,en=Ae>=Ne,!Qt&&!en&&(Ae>ye?en=!0:Qt=!0)):an.x&&an.y&&(Qt||en)&&(Qt=en=!0);let Oe,Fe;Qt&&(U.ori==0?(Oe=ks,Fe=Tt):(Oe=Bs,Fe=Dt),Ur(ci(Oe,Fe),qt(Fe-Oe)),en||Ir(0,me)),en&&(U.ori==1?(Oe=ks,Fe=Tt):(Oe=Bs,Fe=Dt),Ir(ci(Oe,Fe),qt(Fe-Oe)),Qt||Ur(0,ie)),!Qt&&!en&&(Ur(0,0),Ir(0,0))}if(an._x=Qt,an._y=en,g==null){if(L){if($c!=null){let[ye,Ae]=Gt.scales;Gt.values[0]=ye!=null?fi(U.ori==0?Tt:Dt,ye):null,Gt.values[1]=Ae!=null?fi(U.ori==1?Tt:Dt,Ae):null}Or(bl,n,Tt,Dt,he,de,O)}if(mn){let ye=L&&Gt.setSeries,Ae=Ut.prox;rs==null?wi<=Ae&&hi(Vi,Hs,!0,ye):wi>Ae?hi(null,Hs,!0,ye):Vi!=rs&&hi(Vi,Hs,!0,ye)}}ge&&(P.idx=O,Da()),E!==!1&&tn("setCursor")}let Gi=null;Object.defineProperty(n,"rect",{get(){return Gi==null&&Nr(!1),Gi}});function Nr(g=!1){g?Gi=null:(Gi=_.getBoundingClientRect(),tn("syncRect",Gi))}function Oc(g,E,L,O,W,ie,me){V._lock||zi&&g!=null&&g.movementX==0&&g.movementY==0||(Ua(g,E,L,O,W,ie,me,!1,g!=null),g!=null?os(null,!0,!0):os(E,!0,!1))}function Ua(g,E,L,O,W,ie,me,ye,Ae){if(Gi==null&&Nr(!1),ut(g),g!=null)L=g.clientX-Gi.left,O=g.clientY-Gi.top;else{if(L<0||O<0){Tt=-10,Dt=-10;return}let[Ne,Oe]=Gt.scales,Fe=E.cursor.sync,[Je,mt]=Fe.values,[ft,ot]=Fe.scales,[Ye,He]=Gt.match,Rt=E.axes[0].side%2==1,Nt=U.ori==0?he:de,nn=U.ori==1?he:de,Mt=Rt?ie:W,Ot=Rt?W:ie,Dn=Rt?O:L,gn=Rt?L:O;if(ft!=null?L=Ye(Ne,ft)?a(Je,b[Ne],Nt,0):-10:L=Nt*(Dn/Mt),ot!=null?O=He(Oe,ot)?a(mt,b[Oe],nn,0):-10:O=nn*(gn/Ot),U.ori==1){let Wn=L;L=O,O=Wn}}Ae&&(E==null||E.cursor.event.type==bl)&&((L<=1||L>=he-1)&&(L=ms(L,he)),(O<=1||O>=de-1)&&(O=ms(O,de))),ye?(Pc=L,Lc=O,[ks,Bs]=V.move(n,L,O)):(Tt=L,Dt=O)}const Ia={width:0,height:0,left:0,top:0};function Na(){ho(Ia,!1)}let Fc,kc,Bc,zc;function Hc(g,E,L,O,W,ie,me){zi=!0,Qt=en=an._x=an._y=!1,Ua(g,E,L,O,W,ie,me,!0,!1),g!=null&&(A(wl,Wl,Vc,!1),Or(Oh,n,ks,Bs,he,de,null));let{left:ye,top:Ae,width:Ne,height:Oe}=At;Fc=ye,kc=Ae,Bc=Ne,zc=Oe}function Vc(g,E,L,O,W,ie,me){zi=an._x=an._y=!1,Ua(g,E,L,O,W,ie,me,!1,!0);let{left:ye,top:Ae,width:Ne,height:Oe}=At,Fe=Ne>0||Oe>0,Je=Fc!=ye||kc!=Ae||Bc!=Ne||zc!=Oe;if(Fe&&Je&&ho(At),an.setScale&&Fe&&Je){let mt=ye,ft=Ne,ot=Ae,Ye=Oe;if(U.ori==1&&(mt=Ae,ft=Oe,ot=ye,Ye=Ne),Qt&&Hi(T,fi(mt,T),fi(mt+ft,T)),en)for(let He in b){let Rt=b[He];He!=T&&Rt.from==null&&Rt.min!=yt&&Hi(He,fi(ot+Ye,He),fi(ot,He))}Na()}else V.lock&&(V._lock=!V._lock,os(E,!0,g!=null));g!=null&&(ce(wl,Wl),Or(wl,n,Tt,Dt,he,de,null))}function wp(g,E,L,O,W,ie,me){if(V._lock)return;ut(g);let ye=zi;if(zi){let Ae=!0,Ne=!0,Oe=10,Fe,Je;U.ori==0?(Fe=Qt,Je=en):(Fe=en,Je=Qt),Fe&&Je&&(Ae=Tt<=Oe||Tt>=he-Oe,Ne=Dt<=Oe||Dt>=de-Oe),Fe&&Ae&&(Tt=Tt<ks?0:he),Je&&Ne&&(Dt=Dt<Bs?0:de),os(null,!0,!0),zi=!1}Tt=-10,Dt=-10,fe.fill(null),os(null,!0,!0),ye&&(zi=ye)}function Gc(g,E,L,O,W,ie,me){V._lock||(ut(g),Lt(),Na(),g!=null&&Or(Bh,n,Tt,Dt,he,de,null))}function Wc(){x.forEach(Wy),Re(n.width,n.height,!0)}bs(ia,mr,Wc);const Vs={};Vs.mousedown=Hc,Vs.mousemove=Oc,Vs.mouseup=Vc,Vs.dblclick=Gc,Vs.setSeries=(g,E,L,O)=>{let W=Gt.match[2];L=W(n,E,L),L!=-1&&hi(L,O,!0,!1)},K&&(A(Oh,_,Hc),A(bl,_,Oc),A(Fh,_,g=>{ut(g),Nr(!1)}),A(kh,_,wp),A(Bh,_,Gc),Jl.add(n),n.syncRect=Nr);const fo=n.hooks=i.hooks||{};function tn(g,E,L){Ra?Dr.push([g,E,L]):g in fo&&fo[g].forEach(O=>{O.call(null,n,E,L)})}(i.plugins||[]).forEach(g=>{for(let E in g.hooks)fo[E]=(fo[E]||[]).concat(g.hooks[E])});const Xc=(g,E,L)=>L,Gt=Xt({key:null,setSeries:!1,filters:{pub:Kh,sub:Kh},scales:[T,y[1]?y[1].scale:null],match:[Zh,Zh,Xc],values:[null,null]},V.sync);Gt.match.length==2&&Gt.match.push(Xc),V.sync=Gt;const $c=Gt.key,Oa=Yd($c);function Or(g,E,L,O,W,ie,me){Gt.filters.pub(g,E,L,O,W,ie,me)&&Oa.pub(g,E,L,O,W,ie,me)}Oa.sub(n);function Tp(g,E,L,O,W,ie,me){Gt.filters.sub(g,E,L,O,W,ie,me)&&Vs[g](null,E,L,O,W,ie,me)}n.pub=Tp;function Ap(){Oa.unsub(n),Jl.delete(n),k.clear(),Yl(ia,mr,Wc),c.remove(),B?.remove(),tn("destroy")}n.destroy=Ap;function Fa(){tn("init",i,e),tt(e||i.data,!1),X[T]?Ca(T,X[T]):Lt(),re=At.show&&(At.width>0||At.height>0),J=ge=!0,Re(i.width,i.height)}return y.forEach(ao),x.forEach(ee),t?t instanceof HTMLElement?(t.appendChild(c),Fa()):t(n,Fa):Fa(),n}pn.assign=Xt;pn.fmtNum=vc;pn.rangeNum=sa;pn.rangeLog=ga;pn.rangeAsinh=gc;pn.orient=Ps;pn.pxRatio=gt;pn.join=NS;pn.fmtDate=Mc,pn.tzDate=$S;pn.sync=Yd;{pn.addGap=Ry,pn.clipGaps=xa;let i=pn.paths={points:Qd};i.linear=tp,i.stepped=Ly,i.bars=Dy,i.spline=Iy}const Mf=60;function Xy(i){return i.replace(/(\.\d*?)0+(?=\D|$)/,"$1").replace(/\.(?=\D|$)/,"")}function $y(i){let e=0;for(let t=0;t<i.length&&e<Mf;++t)i[t]!=null&&++e;return e<Mf}class rp{constructor(e,t,n,s=!1,r=""){this.unit=t,this.lines=n,this.log=s,this.element=I("section.chart",{"aria-label":e},I("h2.title",{title:r},e),this.box),this.observer.observe(this.box)}element;box=I("div.plot");plot=null;data=[[]];marks=[];observer=new ResizeObserver(()=>this.resize());set(e){this.data=e,this.plot?this.plot.setData(e):this.draw()}set_marks(e){this.marks=e,this.plot?.redraw(!1)}draw_marks(e){const{ctx:t}=e,{left:n,top:s,width:r,height:o}=e.bbox,a=devicePixelRatio||1;t.save(),t.lineWidth=a;for(const{step:l,kind:c}of this.marks){const u=Math.round(e.valToPos(l,"x",!0))+.5;u<n||u>n+r||(t.strokeStyle=Ft(c==="incident"?"--bad":"--series-3"),t.setLineDash(c==="incident"?[4*a,3*a]:[]),t.beginPath(),t.moveTo(u,c==="incident"?s:s+o-7*a),t.lineTo(u,s+o),t.stroke())}t.restore()}draw(){if(this.plot?.destroy(),this.box.replaceChildren(),this.box.clientWidth===0)return;const e={stroke:Ft("--muted"),grid:{stroke:Ft("--grid"),width:1},ticks:{stroke:Ft("--grid"),width:1,size:4},font:"11px system-ui, sans-serif",gap:4};this.plot=new pn({width:this.box.clientWidth,height:190,cursor:{sync:{key:"steps"},points:{size:6}},legend:{live:!0},hooks:{draw:[t=>this.draw_marks(t)]},scales:{x:{time:!1},y:{distr:this.log?3:1}},axes:[{...e,size:28},{...e,size:62,values:(t,n)=>n.map(s=>s===null?"":Xy(Di(s,this.unit)))}],series:[{label:"step",value:(t,n)=>n===null?"–":String(n)},...this.lines.map(t=>({label:t.label,stroke:Ft(t.colour),width:1.6,dash:t.dashed?[5,4]:void 0,spanGaps:!0,points:{show:(n,s)=>$y(n.data[s]),size:4},value:(n,s)=>s===null?"–":Di(s,this.unit)}))]},this.data,this.box)}destroy(){this.observer.disconnect(),this.plot?.destroy()}resize(){this.plot?this.box.clientWidth>0&&this.box.clientWidth!==this.plot.width&&this.plot.setSize({width:this.box.clientWidth,height:190}):this.draw()}}const Yy=2e3,qy=400,jy=12,Ky=44,Sf=5,yf=620,Pl=8;function Zy(i,e){let t=null,n=[],s=e.parameters.get("column")??"compute",r=e.parameters.get("steps")??"8",o=e.parameters.get("rows")??"auto",a=0,l=!1,c=!1,u=0;const h=I("div.controls"),f=I("div.verdict",{role:"status"}),m=I("canvas",{tabindex:0,role:"application","aria-label":"Heat map of ranks. Arrow keys choose a rank, Enter opens it."}),_=I("div.readout"),v=I("div.map",{},m,_),p=I("div.scale",{"aria-hidden":"true"}),d=I("div.slowest"),y=I("div.heat",{},I("div",{},v,p),d),x=I("section.panel",{hidden:!0});i.append(h,f,y,x);const b=aa(()=>U()),H=new ResizeObserver(()=>U());H.observe(v);function T(Y,q){if(!n[Y])return;a=Y,G();const{row:fe,value:P,excess:V}=n[Y],D=t.columns.find(ae=>ae.key===s),K=`rank ${fe.rank}: ${Di(P,D.unit)}, ${V>=0?"+":""}${Cn(V)}`;nt(_,I("strong",{},`rank ${fe.rank}`),` ${Di(P,D.unit)} `,I("span",{},`${V>=0?"+":""}${Cn(V)} against its peers`),I("span.muted",{},Eh(fe))),gr(K),q&&te(fe.rank)}function R(){const Y=new Map,q=new Set(n.map(({row:P})=>P.host)),fe=o==="auto"?q.size>1?"host":"stage":o;return n.forEach(({row:P},V)=>{const D=fe==="host"?P.host||"host":fe==="data"?`data ${P.at.data}`:`stage ${P.at.pipeline}`,K=Y.get(D);K?K.push(V):Y.set(D,[V])}),[...Y].map(([P,V])=>({label:P,cells:V}))}let z=[],w=null;function M(Y){const q=R(),fe=Math.min(160,12+7*Math.max(...q.map(_e=>_e.label.length))),P=Math.max(...q.map(_e=>_e.cells.length)),V=Y-fe,D=_e=>{const xe=Math.max(1,Math.min(P,Math.floor(V/_e))),be=q.reduce((Ce,Ie)=>Ce+Math.ceil(Ie.cells.length/xe)*_e+4,4);if(be<=yf||xe<P)return{per_line:xe,abreast:1,height:be};const Me=Math.max(1,Math.floor((V+Pl)/(P*_e+Pl)));return{per_line:xe,abreast:Me,height:Math.ceil(q.length/Me)*(_e+4)+4}};let K=Math.max(Sf,Math.min(Ky,Math.floor(V/Math.min(P,128))));for(;K>Sf&&D(K).height>yf;)--K;const{per_line:ae,abreast:B,height:Q}=D(K);z=[];const j=[];let F=4;return q.forEach((_e,xe)=>{const be=xe%B;be===0&&j.push({text:_e.label,y:F+K/2}),_e.cells.forEach((Me,Ce)=>{z[Me]={x:fe+be*(P*K+Pl)+Ce%ae*K,y:F+Math.floor(Ce/ae)*K,size:K}}),be===B-1&&(F+=Math.ceil(_e.cells.length/ae)*K+4)}),{height:Math.max(Q,F+4),labels:j,indent:fe}}function U(){if(!t||c)return;const Y=v.clientWidth-20;if(Y<=0)return;const{height:q,labels:fe,indent:P}=M(Y),V=devicePixelRatio||1;w=document.createElement("canvas");for(const j of[w,m])j.width=Math.floor(Y*V),j.height=Math.floor(q*V);m.style.width=`${Y}px`,m.style.height=`${q}px`;const D=w.getContext("2d");D.scale(V,V),D.font="12px system-ui, sans-serif",D.textBaseline="middle",D.fillStyle=Ft("--muted");let K=-1/0;for(const{text:j,y:F}of fe)F<K||(D.fillText(j,0,F,P-8),K=F+14);const ae=new Set(t.stragglers.flatMap(j=>j.ranks)),B=Ft("--bad");D.textAlign="center";const Q=Bf();n.forEach((j,F)=>{const{x:_e,y:xe,size:be}=z[F],Me=be>12?2:1,Ce=be-Me,Ie=Q(j.excess);D.fillStyle=Ie.css,D.fillRect(_e,xe,Ce,Ce),be>=24&&(D.fillStyle=Ie.is_light?"#10131a":"#ffffff",D.fillText(String(j.row.rank),_e+Ce/2,xe+Ce/2)),ae.has(j.row.rank)&&(D.strokeStyle=B,D.lineWidth=be>12?2:1,D.strokeRect(_e+D.lineWidth/2,xe+D.lineWidth/2,Ce-D.lineWidth,Ce-D.lineWidth))}),G()}function G(){const Y=z[a];if(!w||!Y)return;const q=m.getContext("2d"),fe=devicePixelRatio||1;if(q.setTransform(1,0,0,1,0,0),q.clearRect(0,0,m.width,m.height),q.drawImage(w,0,0),document.activeElement!==m&&!l)return;q.scale(fe,fe),q.strokeStyle=Ft("--text"),q.lineWidth=2;const P=Y.size-(Y.size>12?2:1);q.strokeRect(Y.x,Y.y,P,P)}function N(Y){const q=m.getBoundingClientRect(),fe=Y.clientX-q.left,P=Y.clientY-q.top;return z.findIndex(V=>fe>=V.x&&fe<V.x+V.size&&P>=V.y&&P<V.y+V.size)}m.addEventListener("mousemove",Y=>{const q=N(Y);m.style.cursor=q>=0?"pointer":"default",l=q>=0,q>=0&&q!==a?T(q,!1):G()}),m.addEventListener("mouseleave",()=>{l=!1,G()}),m.addEventListener("click",Y=>T(N(Y),!0)),m.addEventListener("focus",()=>T(a,!1)),m.addEventListener("blur",()=>G()),m.addEventListener("keydown",Y=>{const q=z[a];if(!q)return;const fe={ArrowLeft:[-1,0],ArrowRight:[1,0],ArrowUp:[0,-1],ArrowDown:[0,1]}[Y.key];if(Y.key==="Enter")T(a,!0);else if(fe?.[0])T(Math.max(0,Math.min(n.length-1,a+fe[0])),!1);else if(fe){let P=-1,V=1/0,D=1/0;z.forEach(({x:K,y:ae},B)=>{const Q=(ae-q.y)*fe[1],j=Math.abs(K-q.x);Q>0&&(Q<V||Q===V&&j<D)&&([P,V,D]=[B,Q,j])}),P>=0&&T(P,!1)}else return;Y.preventDefault(),Y.stopPropagation()});function Z(){nt(h,Si("Colour",Ii(t.columns.map(Y=>({value:Y.key,label:Y.label,group:Y.group})),s,Y=>{s=Y,e.remember({column:Y}),ne(!0)})),Si("Last steps",Ii(["1","4","8","16","64","256"].map(Y=>({value:Y,label:Y})),r,Y=>{r=Y,e.remember({steps:Y}),ne(!0)})),Si("Rows",Ii([{value:"auto",label:"automatic"},{value:"host",label:"hosts"},{value:"stage",label:"pipeline stages"},{value:"data",label:"data coordinate"}],o,Y=>{o=Y,e.remember({rows:Y}),U()})),I("span.muted.steps",{}))}function X(){const Y=t.columns.find(P=>P.key===s);n=vd(t,Y);const q=t.steps.at(-1);nt(h.querySelector(".steps"),`steps ${t.steps[0]} to ${q}, mean of ${t.steps.length}`),nt(f,...t.stragglers.length?t.stragglers.slice(0,5).map(P=>I("div.straggler",{},I(`span.cause.${P.cause}`,{},Gl[P.cause]),` ${P.text} `,I("span.muted",{},`(${Mn(P.seconds)} a step, its peers ${Mn(P.usual_seconds)}; in ${P.votes} of ${P.steps} steps)`),I("button.plain",{onclick:()=>void te(P.ranks[0])},"history"))):t.reading?[_d(t.reading)]:[I("div.fine",{},t.steps.length<8&&e.run.kind==="trained"?"Fewer than 8 steps so far: nobody is judged yet.":"No rank stands out in the last steps.")],...t.problems.slice(0,3).map(P=>I("div.straggler",{},I("span.cause",{},"not shown"),` rank ${P.rank}: ${P.text}`)));const fe=n.map((P,V)=>({cell:P,i:V})).sort((P,V)=>V.cell.excess-P.cell.excess).slice(0,jy);nt(d,I("h2.title",{},"Outliers first"),I("table",{},I("thead",{},I("tr",{},I("th",{},"Rank"),I("th",{},"Value"),I("th",{},"Against peers"),I("th",{},"Where"))),I("tbody",{},...fe.map(({cell:P})=>I("tr",{},I("td",{},I("button.link",{onclick:()=>void te(P.row.rank)},String(P.row.rank))),I("td",{},Di(P.value,Y.unit)),I("td",{},`${P.excess>=0?"+":""}${Cn(P.excess)}`),I("td.muted",{},Eh(P.row))))))),nt(p,I("span",{},"−20 %"),I("span.gradient",{}),I("span",{},"+20 %"),I("span.muted",{},"against the median of the ranks with the same work")),U()}let se=[];async function te(Y){se.forEach(q=>q.destroy()),se=[],x.hidden=!1;try{const q=await kn(`/api/runs/${e.run.id}/rank?rank=${Y}&steps=256`),fe=I("button.plain",{onclick:()=>{x.hidden=!0,m.focus()}},"Close"),P=I("div.charts");nt(x,I("div.head",{},I("h2",{tabindex:-1},`Rank ${Y} beside its peers`),I("span.muted",{},`${q.host||"host unknown"} · ${q.peers} ranks with the same work`),I("button",{onclick:()=>e.go("timeline",{ranks:String(Y),step:String(q.steps.at(-1))})},"Timeline"),fe),P);const V=q.columns.filter(D=>D.key===s||["compute","exposed_comm","bubble"].includes(D.key));for(const D of V){const K=new rp(`${D.group}: ${D.label}`,D.unit,[{label:`rank ${Y}`,colour:"--series-1"},{label:"median",colour:"--series-3",dashed:!0}]);P.append(K.element),K.set([q.steps,D.values,D.median]),se.push(K)}x.querySelector("h2").focus(),x.scrollIntoView({block:"nearest"})}catch(q){nt(x,on(`Rank ${Y} cannot be shown`,q.message,"error"))}}async function ne(Y=!1){window.clearTimeout(u);const q=`steps=${r}&columns=${encodeURIComponent(s)}`;try{const fe=await Qr(e.run,r,s);if(c||q!==`steps=${r}&columns=${encodeURIComponent(s)}`)return;if(!fe.columns.some(D=>D.key===s))return s=fe.columns[0].key,void ne(Y);const P=t===null,V=P||Y||t.reading!==void 0||fe.steps.at(-1)!==t.steps.at(-1)||fe.steps.length!==t.steps.length;t=fe,P&&Z(),y.hidden=!1,V&&X()}catch(fe){if(c)return;const P=fe;t=null,y.hidden=!0,nt(f,on(P.status===404?"No records of ranks":"Records cannot be read",P.message,P.status===404?"empty":"error"))}window.clearTimeout(u),u=window.setTimeout(()=>void ne(),t?.reading?qy:e.run.kind==="simulated"?6e4:Yy)}return ne(),{leave(){c=!0,window.clearTimeout(u),H.disconnect(),b(),se.forEach(Y=>Y.destroy())},key(Y){return Y.key!=="Escape"||x.hidden?!1:(x.hidden=!0,!0)}}}const Ll=10,op=["step","compute","exposed_comm","bubble","data_wait"];function Jy(i){return i?.values.length?i.values.reduce((e,t)=>e+t,0)/i.values.length:0}function Qy(i,e){if(!e)return 0;const t=new Map;i.ranks.forEach((s,r)=>{const[o,a]=t.get(s.at.pipeline)??[0,0];t.set(s.at.pipeline,[o+e.values[r],a+1])});const n=[...t.values()].map(([s,r])=>s/r);return n.length?n.reduce((s,r)=>s+r,0)/n.length:Jy(e)}async function Ef(i){const e=(await Qr(i,16,"")).columns.map(({key:t})=>t).filter(t=>t.startsWith("op.")||op.includes(t));return Qr(i,16,e.join(","))}function eE(i){const e=i.run.kind!=="simulated";return i.runs.filter(t=>t.id!==i.run.id&&t.kind!=="empty"&&t.kind==="simulated"===e&&t.job?.world_size===i.run.job?.world_size)}function bf({label:i,predicted:e,measured:t},n,s){const r=e-t,o=I("span.difference",{title:`${r>0?"predicted too long":"predicted too short"}`}),a=I(`i.${r>0?"more":"less"}`,{});return a.style.width=`${100*Math.abs(r)/(s||1)}%`,o.append(a),I("tr",{},I("td",{},i),I("td",{},Mn(e)),I("td",{},Mn(t)),I("td",{},`${r>0?"+":r<0?"−":""}${Mn(Math.abs(r))}`),I("td",{},t>0?`${r>=0?"+":""}${Cn(r/t,0)}`:"–"),I("td",{},n>0?Cn(Math.abs(r)/n):"–"),I("td.wide",{},o))}function tE(i,e){const t=eE(e),n=I("div");if(i.append(I("h2",{},"Predicted beside measured"),n),t.length===0){const a=e.run.kind==="simulated"?`megascale serve RUN_DIR ${e.run.path}`:`megascale serve ${e.run.path} DIR`,l=`megascale simulate ${e.run.path}/config.toml --cluster FILE --keep DIR`;nt(n,I("p.muted",{},"Serve a measured and a simulated run of the same job together to see which op kinds the simulator predicts badly: ",e.run.kind==="simulated"?null:I("code",{},l),e.run.kind==="simulated"?null:", then ",I("code",{},a),"."));return}let s=t.find(a=>String(a.id)===e.parameters.get("beside"))??t[0];const r=I("div");nt(n,I("div.controls",{},Si(e.run.kind==="simulated"?"Measured run":"Simulated run",Ii(t.map(a=>({value:String(a.id),label:a.name})),String(s.id),a=>{s=t.find(l=>String(l.id)===a),e.remember({beside:a}),o()}))),r);async function o(){try{const[a,l]=await Promise.all([Ef(e.run),Ef(s)]),[c,u]=e.run.kind==="simulated"?[a,l]:[l,a],h=(y,x)=>Qy(y,y.columns.find(b=>b.key===x)),f=y=>({label:(u.columns.find(b=>b.key===y)??c.columns.find(b=>b.key===y)).label,predicted:h(c,y),measured:h(u,y)}),m=h(u,"step"),_=[...new Set([...u.columns,...c.columns].map(({key:y})=>y).filter(y=>y.startsWith("op.")))].map(f);_.sort((y,x)=>Math.abs(x.predicted-x.measured)-Math.abs(y.predicted-y.measured));const v=Math.max(..._.map(y=>Math.abs(y.predicted-y.measured))),p=y=>I("thead",{},I("tr",{},...[y,"Predicted","Measured","Difference","Of the kind","Of the step","Picture"].map(x=>I("th",{},x)))),d=op.map(f);nt(r,I("div.scroll",{tabindex:0,role:"region","aria-label":"Parts of the step"},I("table",{},p("Part of the step"),I("tbody",{},...d.map(y=>bf(y,m,Math.max(...d.map(x=>Math.abs(x.predicted-x.measured)))))))),I("h2",{},_.length>Ll?`The ${Ll} op kinds with the largest difference`:"Op kinds"),I("div.scroll",{tabindex:0,role:"region","aria-label":"Op kinds"},I("table",{},p("Op kind"),I("tbody",{},..._.slice(0,Ll).map(y=>bf(y,m,v))))),I("p.muted",{},`Means over the recorded ranks of each stage: ${u.steps.length} measured steps of ${u.ranks.length} ranks, ${c.ranks.length} simulated ranks. megascale simulate --compare prints the medians.`))}catch(a){nt(r,on("The two runs cannot be compared",a.message,"empty"))}}o()}function nE(i,e){const t=I("div"),n=new tc("The job");return i.append(t),(async()=>{try{const s=await kn(`/api/runs/${e.run.id}/plan`),r=Math.max(...s.stages.map(l=>l.arena_bytes)),o=Object.keys(s.stages[0].memory).filter(l=>s.stages.some(c=>c.memory[l]>0)),a=e.run.job;n.show([rn("Ranks",String(s.world_size),a?fc(a):""),rn("Parameters",a?xi(a.parameters):"–"),rn("FLOPs a step",xi(s.model_flops),`${xi(s.executed_flops)} executed`),rn("Largest arena",oi(r),"planned, exact")]),nt(t,n.element,I("h2",{},"Memory of a rank, by stage"),I("div.legend",{},...o.map((l,c)=>I("span",{},I(`i.memory-${c}`),l.replace("_"," ")))),...s.stages.map(l=>{const c=I("div.memory",{},I("span.name",{},`stage ${l.stage}`),I("span.muted",{},`${l.ranks} ranks from ${l.first_rank}, ${xi(l.tasks)} tasks`)),u=I("div.bar",{role:"img","aria-label":`stage ${l.stage}: ${oi(l.arena_bytes)}`});return o.forEach((h,f)=>{const m=I(`span.memory-${f}`,{title:`${h}: ${oi(l.memory[h])}`});m.style.width=`${100*l.memory[h]/r}%`,u.append(m)}),c.append(u,I("span",{},oi(l.arena_bytes))),c}),I("h2",{},"Bytes"),I("div.scroll",{tabindex:0,role:"region","aria-label":"Bytes by stage"},I("table",{},I("thead",{},I("tr",{},I("th",{},"Category"),...s.stages.map(l=>I("th",{},`stage ${l.stage}`)))),I("tbody",{},...o.map(l=>I("tr",{},I("td",{},l.replace("_"," ")),...s.stages.map(c=>I("td",{},oi(c.memory[l]))))))))),tE(t,e)}catch(s){nt(t,on("The plan cannot be made",s.message,"error"))}})(),{leave:()=>n.destroy()}}const wf=1500,iE=[{title:"Loss",unit:"nats",meaning:"nats a token",metrics:[{name:"loss",label:"train"},{name:"validation_loss",label:"validation"}]},{title:"Tokens per second",unit:"",meaning:"tokens of a step relative to its wall time",metrics:[{name:"tokens_per_second",label:"tokens/s"}]},{title:"Utilization",unit:"ratio",meaning:"FLOPs relative to the peak of all ranks",metrics:[{name:"mfu",label:"MFU"},{name:"hfu",label:"HFU"}]},{title:"Step time",unit:"seconds",meaning:"wall time of a step",metrics:[{name:"step_seconds",label:"step"},{name:"checkpoint_stall_seconds",label:"checkpoint stall"}]},{title:"Waiting of rank 0",unit:"seconds",meaning:"why the compute lane of rank 0 stood still",metrics:[{name:"exposed_comm_seconds",label:"exposed communication"},{name:"bubble_seconds",label:"bubble"},{name:"data_wait_seconds",label:"data"}]},{title:"Memory",unit:"bytes",meaning:"the largest arena of all ranks",metrics:[{name:"memory_bytes",label:"arena"}]},{title:"Gradient norm",unit:"",meaning:"before clipping",metrics:[{name:"grad_norm",label:"norm"}]},{title:"Learning rate",unit:"",meaning:"of the step",metrics:[{name:"lr",label:"rate"}]}];class sE{columns={step:[]};checkpoints=[];replace({columns:e,checkpoints:t}){this.columns={step:[],...e},this.checkpoints=t}append(e){const t=this.columns.step.length,n=e.step.length;for(const s of new Set([...Object.keys(this.columns),...Object.keys(e)]))(this.columns[s]??=Array(t).fill(null)).push(...e[s]??Array(n).fill(null));e.checkpoint_stall_seconds?.forEach((s,r)=>{s!==null&&this.checkpoints.push(e.step[r])})}get last_step(){return this.columns.step.at(-1)??0}}function rE(i,e){const t=new Set((e.parameters.get("with")??"").split(",").filter(Boolean).map(Number)),n=new tc("Where the run stands"),s=I("div.charts"),r=I("div.legend"),o=I("div",{});i.append(n.element,m(),o);let a=null,l=!1,c=[],u=[];const h=new Map,f=aa(()=>c.forEach(({chart:T})=>T.draw()));function m(){const T=e.runs.filter(R=>R.id!==e.run.id&&R.kind==="trained");return T.length===0?I("div"):I("fieldset.overlay",{},I("legend",{},"Lay over"),...T.map(R=>{const z=I("input",{type:"checkbox",checked:t.has(R.id)});return z.addEventListener("change",()=>{z.checked?t.add(R.id):t.delete(R.id),e.remember({with:t.size?[...t].join(","):null}),v()}),I("label",{},z,` ${R.name}`)}))}function _(){return e.runs.filter(T=>T.id===e.run.id||t.has(T.id))}async function v(){a?.close();try{for(const T of _()){const R=await kn(`/api/runs/${T.id}/metrics?points=${wf}`),z=h.get(T.id)??new sE;z.replace(R),h.set(T.id,z)}}catch(T){l||nt(o,on("Metrics cannot be read",T.message,"error"));return}e.run.has_job&&(u=await kn(`/api/runs/${e.run.id}/job`).then(T=>T.incidents,()=>[])),!l&&(d(),H())}function p(){return[...h.get(e.run.id).checkpoints.map(T=>({step:T,kind:"checkpoint"})),...u.filter(({step:T})=>T>=0).map(({step:T})=>({step:T,kind:"incident"}))]}function d(){if(c.forEach(({chart:T})=>T.destroy()),c=[],h.get(e.run.id).columns.step.length===0){nt(o,e.run.kind==="simulated"?on("A simulated step has no metrics","Open Heat map, Timeline or Plan: they show the simulated records."):e.run.kind==="measured"?on("No metrics","A training writes them with its first step, megascale bench step writes none. Heat map, 3D, Timeline and Plan show the records."):e.run.kind==="empty"?on("This directory holds no run",`Start one with train.run_dir=${e.run.path}, or serve another directory.`):on("No step has ended yet","Metrics appear here with the first step."));return}s.replaceChildren();for(const T of iE){const R=T.metrics.filter(({name:M})=>_().some(U=>h.get(U.id)?.columns[M]?.some(G=>G!==null)));if(R.length===0)continue;const z=[];_().forEach((M,U)=>R.forEach(({label:G},N)=>z.push({label:_().length>1?`${M.name} ${G}`:G,colour:`--series-${(U*R.length+N)%6+1}`,dashed:U>0})));const w=new rp(T.title,T.unit,z,T.log,T.meaning);s.append(w.element),c.push({plot:{...T,metrics:R},chart:w})}nt(o,r,s),x()}function y(T){const R=_().map(U=>h.get(U.id).columns);if(R.length===1)return[R[0].step,...T.metrics.map(({name:U})=>R[0][U]??[])];const z=[...new Set(R.flatMap(U=>U.step))].sort((U,G)=>U-G),w=new Map(z.map((U,G)=>[U,G])),M=R.flatMap(U=>T.metrics.map(({name:G})=>{const N=Array(z.length).fill(null);return U[G]?.forEach((Z,X)=>N[w.get(U.step[X])]=Z),N}));return[z,...M]}function x(){const T=p();for(const{plot:R,chart:z}of c)z.set_marks(T),z.set(y(R));nt(r,T.some(({kind:R})=>R==="checkpoint")?I("span",{},I("i.mark.checkpoint"),`${h.get(e.run.id).checkpoints.length} checkpoints`):null,T.some(({kind:R})=>R==="incident")?I("span",{},I("i.mark.incident"),`${u.length} incidents: the page Cluster lists them`):null),b()}function b(){const T=h.get(e.run.id).columns,R=e.run.job,z=Y=>T[Y]?.at(-1)??null,w=h.get(e.run.id).last_step,M=(T.step_seconds??[]).slice(-50).filter(Y=>Y!==null).sort((Y,q)=>Y-q),U=M[Math.floor(M.length/2)],G=[];if(R){const Y=Math.min(1,w/R.train_iters),q=rn("Step",`${w.toLocaleString("en")}`,`of ${R.train_iters.toLocaleString("en")}`);q.append(I("progress",{max:1,value:Y,"aria-label":"Progress"})),G.push(q),w<R.train_iters&&U&&G.push(rn("Time left",_s((R.train_iters-w)*U),"at the median of 50 steps"))}const N=z("loss"),Z=z("tokens_per_second"),X=z("mfu"),se=z("memory_bytes"),te=z("consumed_tokens");N!==null&&G.push(rn("Loss",N.toFixed(4),`perplexity ${xi(Math.exp(N))}`)),Z!==null&&G.push(rn("Tokens/s",xi(Z),te!==null?`${xi(te)} so far`:"")),X!==null&&G.push(rn("MFU",Cn(X),z("hfu")!==null?`HFU ${Cn(z("hfu"))}`:"")),U&&G.push(rn("Step time",Mn(U),"median of 50")),se!==null&&G.push(rn("Memory",oi(se),"largest arena"));const ne=z("skipped_steps");ne&&G.push(rn("Skipped steps",String(ne),"loss or norm not finite")),R&&G.push(rn("Ranks",String(R.world_size),fc(R))),n.show(G)}function H(){const T=h.get(e.run.id);a=new EventSource(`/api/runs/${e.run.id}/stream?after=${T.last_step}`),a.addEventListener("metrics",R=>{const{columns:z}=JSON.parse(R.data),w=T.columns.step.length===0;T.append(z),T.columns.step.length>3*wf?v():w?d():x()}),a.addEventListener("reset",()=>void v())}return v(),{leave(){l=!0,a?.close(),f(),n.destroy(),c.forEach(({chart:T})=>T.destroy())}}}function to(i){return i.lane.start[i.index]}function Go(i,e){let t=0,n=i.end.length;for(;t<n;){const s=t+n>>1;i.end[s]>e?n=s:t=s+1}return t}function Dl(i,e,t){for(const n of i.ranks[e].lanes){const s=n.id.indexOf(t);if(s>=0)return{rank:e,lane:n,index:s}}return null}function Tf(i,e){const t=e.lane.group?.[e.index];if(!t)return[];let n=0;for(let r=0;r<e.index;++r)e.lane.group[r]===t&&++n;const s=[];return i.ranks.forEach((r,o)=>{if(o!==e.rank)for(const a of r.lanes){let l=0;const c=a.group?.findIndex(u=>u===t&&l++===n)??-1;c>=0&&s.push({rank:o,lane:a,index:c})}}),s}function Af(i,e){const t=e.lane.id[e.index],n=[];for(const s of i.ranks[e.rank].lanes)s.awaited.forEach((r,o)=>{r===t&&n.push({rank:e.rank,lane:s,index:o})});return n}function Rf(i){return i.reduce((e,t)=>to(t)>to(e)?t:e)}function oE(i,{rank:e,lane:t,index:n}){const s=i.plans[i.ranks[e].plan],r=t.id[n],o=m=>(t.end[m]-(t.group?t.matched[m]:t.start[m]))*1e-9,a=o(n),l=[];if(a<=0)return l;let c=0;const u=s.flops[r]>0?s.flops:s.bytes;t.id.forEach((m,_)=>{s.op[m]===s.op[r]&&o(_)>0&&(c=Math.max(c,u[m]/o(_)))});const h=`${Cn(u[r]/a/(c||1),0)} of the fastest ${s.ops[s.op[r]]} here`,f=i.peak_flops;return s.flops[r]>0&&l.push(["FLOPs",`${xi(s.flops[r])}FLOP, ${xi(s.flops[r]/a)}FLOP/s: ${f?`${Cn(s.flops[r]/a/f)} of the peak, `:""}${h}`]),s.bytes[r]>0&&l.push([t.group?"Bytes moved":"Bytes of operands",`${oi(s.bytes[r])}, ${oi(s.bytes[r]/a)}/s${s.flops[r]>0?"":`: ${h}`}`]),l}const ii=18,Cf=24,ln=150,Pf=24,aE=200,Lf={exposed_comm:"exposed communication",bubble:"bubble",data_wait:"wait for data"},lE=16;function cE(i,e,t,n,s,r){const o=s(to(e)),a=s(t.lane.matched[t.index]),l=r(e),c=r(t);i.strokeStyle=i.fillStyle=Ft(n),i.lineWidth=2,i.beginPath(),i.moveTo(o,l),i.bezierCurveTo(o+18,l+(c-l)/3,a+18,c-(c-l)/3,a,c),i.stroke(),i.beginPath(),i.arc(a,c,3.5,0,7),i.fill()}function uE(i,e){let t=null,n=0,s=1,r=[],o=null,a=!1,l=null;const c=I("div.controls"),u=I("canvas",{tabindex:0,role:"application","aria-label":"Timeline. Keys a and d move, w and s zoom, arrows go from task to task."}),h=I("div.timeline",{},u),f=I("section.panel.details",{"aria-live":"polite"}),m=I("div.legend",{"aria-hidden":"true"}),_=I("div");i.append(c,_,h,m,f);const v=aa(()=>T()),p=new ResizeObserver(()=>T());p.observe(h);const d=()=>h.clientWidth,y=P=>ln+(P-n)/(s-n)*(d()-ln),x=P=>n+(P-ln)/(d()-ln)*(s-n);function b(){r=[];let P=Pf;return t.ranks.forEach((V,D)=>{r.push({rank:D,lane:null,y:P}),P+=Cf;for(const K of V.lanes)r.push({rank:D,lane:K,y:P}),P+=ii;P+=6}),P}function H(P,V){return t.plans[t.ranks[P].plan].name[V]}function T(){if(!t||a||d()===0)return;const P=b(),V=devicePixelRatio||1;u.width=Math.floor(d()*V),u.height=Math.floor(P*V),u.style.width=`${d()}px`,u.style.height=`${P}px`;const D=u.getContext("2d");D.scale(V,V),D.font="11px system-ui, sans-serif",D.textBaseline="middle",R(D,P),D.save(),D.beginPath(),D.rect(ln,0,d()-ln,P),D.clip();for(const K of r)K.lane&&z(D,K);w(D),D.restore();for(const K of r){const ae=t.ranks[K.rank];D.textAlign="left",D.fillStyle=Ft(K.lane?"--muted":"--text"),D.font=`${K.lane?"":"600 "}11px system-ui, sans-serif`;const B=K.lane?K.lane.lane:`rank ${ae.rank}${ae.host?` · ${ae.host}`:""}`;D.fillText(B,K.lane?14:2,K.y+(K.lane?ii/2:Cf/2+2),ln-18)}}function R(P,V){const D=(s-n)/Math.max(2,(d()-ln)/110),K=10**Math.floor(Math.log10(D)),ae=[1,2,5,10].map(B=>B*K).find(B=>B>=D);P.strokeStyle=Ft("--grid"),P.fillStyle=Ft("--muted"),P.textAlign="center",P.lineWidth=1;for(let B=Math.ceil(n/ae)*ae;B<=s;B+=ae){const Q=Math.round(y(B))+.5;Q<ln||(P.beginPath(),P.moveTo(Q,Pf-6),P.lineTo(Q,V),P.stroke(),P.fillText(Mn(B*1e-9),Q,8))}}function z(P,V){const{lane:D,y:K}=V,ae=t.ranks[V.rank],B=t.plans[ae.plan];if(P.fillStyle=Ft("--track"),P.fillRect(ln,K+1,d()-ln,ii-2),D.lane==="compute")for(const j of ae.idle){if(j.to<n||j.from>s)continue;P.fillStyle=Ft(Wp[j.cause]);const F=y(j.from);P.fillRect(F,K+4,Math.max(.5,y(j.to)-F),ii-8)}let Q=-1;for(let j=Go(D,n);j<D.start.length&&D.start[j]<s;++j){const F=y(D.start[j]),_e=y(D.end[j]);if(_e<Q+.5)continue;const xe=B.op[D.id[j]];D.matched[j]>D.start[j]&&(P.fillStyle=Ft("--waiting"),P.fillRect(F,K+2,Math.max(.5,y(D.matched[j])-F),ii-4));const be=D.matched[j]>D.start[j]?y(D.matched[j]):F;P.fillStyle=Gp(xe);const Me=Math.max(.6,_e-be);P.fillRect(be,K+2,Me,ii-4),Q=_e,Me>46&&(P.fillStyle="#fff",P.textAlign="left",P.save(),P.beginPath(),P.rect(Math.max(be,ln),K,_e-Math.max(be,ln),ii),P.clip(),P.fillText(Me>180?B.name[D.id[j]]:B.ops[xe],Math.max(be,ln)+4,K+ii/2),P.restore())}if(o&&o.rank===V.rank&&o.lane===D){const j=y(D.start[o.index]);P.strokeStyle=Ft("--text"),P.lineWidth=2,P.strokeRect(j,K+1,Math.max(2,y(D.end[o.index])-j),ii-2)}}function w(P){if(!o)return;const V=j=>r.find(F=>F.rank===j.rank&&F.lane===j.lane).y+ii/2,D=(j,F,_e)=>{const xe=y(j.lane.end[j.index]),be=y(F.lane.start[F.index]),Me=V(j),Ce=V(F);P.strokeStyle=Ft(_e),P.lineWidth=1.5,P.beginPath(),P.moveTo(xe,Me),P.bezierCurveTo(xe+24,Me,be-24,Ce,be,Ce),P.stroke(),P.beginPath(),P.arc(be,Ce,3,0,7),P.fillStyle=P.strokeStyle,P.fill()},K=o.lane.awaited[o.index],ae=K>=0?Dl(t,o.rank,K):null;ae&&D(ae,o,"--edge-in"),Af(t,o).slice(0,50).forEach(j=>D(o,j,"--edge-out"));const B=Tf(t,o);for(const j of B)P.strokeStyle=Ft("--edge-partner"),P.setLineDash([4,3]),P.beginPath(),P.moveTo(y(o.lane.matched[o.index]),V(o)),P.lineTo(y(j.lane.matched[j.index]),V(j)),P.stroke(),P.setLineDash([]);const Q=Rf([o,...B]);for(const j of Q===o?B:B.length?[o]:[])j!==Q&&to(j)<to(Q)&&cE(P,Q,j,Q===o?"--edge-out":"--edge-in",y,V)}function M(P,V=!1){if(o=P,P&&V){const D=P.lane.start[P.index],K=P.lane.end[P.index];(D<n||K>s)&&N((D+K)/2-(s-n)/2,(D+K)/2+(s-n)/2)}T(),U()}function U(){if(!o){nt(f,I("p.muted",{},"Select a task to see what it waited for and what waited for it."));return}const{lane:P,index:V,rank:D}=o,K=P.id[V],ae=t.plans[t.ranks[D].plan],B=P.end[V]-P.start[V],Q=P.end[V]-P.matched[V],j=[["Op",ae.ops[ae.op[K]]],["Rank, lane",`${t.ranks[D].rank}, ${P.lane}`],["Took",Mn(B*1e-9)],["Waited before",Mn((P.start[V]-P.head[V])*1e-9)]];P.group&&j.push(["Waited for partners",Mn((P.matched[V]-P.start[V])*1e-9)],["Bytes moved for",Mn(Q*1e-9)],["Group",P.group[V]]),j.push(...oE(t,o));const F=Ie=>I("button.link",{onclick:()=>M(Ie,!0)},`${H(Ie.rank,Ie.lane.id[Ie.index])}${Ie.rank===D?"":` (rank ${t.ranks[Ie.rank].rank})`}`),_e=P.awaited[V],xe=_e>=0?Dl(t,D,_e):null;j.push(["Waited for",xe?F(xe):"nothing: its lane was next"]);const be=Af(t,o);be.length&&j.push(["Waited for this",I("span",{},...be.slice(0,6).flatMap(Ie=>[F(Ie)," "]),be.length>6?`and ${be.length-6} more`:null)]);const Me=Tf(t,o),Ce=Rf([o,...Me]);Me.length&&Ce!==o&&Q<B&&j.push(["Waited across ranks for",F(Ce)]),Me.length&&Ce===o&&j.push(["The others waited for","this rank: it started last"]),P.group&&Me.length===0&&j.push(["Partners",I("button.link",{onclick:()=>void G(o)},"show their ranks")]),Me.length&&j.push(["Partners",I("span",{},...Me.slice(0,8).flatMap(Ie=>[F(Ie)," "]))]),nt(f,I("h2",{},ae.name[K]),I("dl.facts",{},...j.flatMap(([Ie,Ke])=>[I("dt",{},Ie),I("dd",{},Ke)]))),gr(`${ae.name[K]}, ${Mn(B*1e-9)}`)}async function G(P){const V=t.ranks[P.rank].rank,D=P.lane.group[P.index],K=P.lane.id[P.index],B=(await kn(`/api/runs/${e.run.id}/peers?rank=${V}`)).groups.find(Ce=>Ce.key===D)?.members??[],Q=new Set(l.ranks.map(Ce=>Ce.rank)),j=B.indexOf(V),F=B.filter(Ce=>Q.has(Ce)).sort((Ce,Ie)=>Math.abs(B.indexOf(Ce)-j)-Math.abs(B.indexOf(Ie)-j)).slice(0,lE);if(a||F.length<2)return gr("the partners have no records");const[_e,xe]=[n,s],be=[...new Set([...t.ranks.map(Ce=>Ce.rank),...F])].sort((Ce,Ie)=>Ce-Ie);e.remember({ranks:be.join(","),step:String(t.step)}),c.querySelector("input").value=be.join(","),await q();const Me=t?t.ranks.findIndex(Ce=>Ce.rank===V):-1;Me<0||(M(Dl(t,Me,K)),N(_e,xe))}function N(P,V){const D=Math.min(Math.max(V-P,aE),t.end);n=Math.min(Math.max(0,P),t.end-D),s=n+D,T()}function Z(P,V=(n+s)/2){N(V-(V-n)*P,V+(s-V)*P)}function X(P){const V=u.getBoundingClientRect(),D=P.clientX-V.left,K=P.clientY-V.top,ae=r.find(j=>j.lane&&K>=j.y&&K<j.y+ii);if(!ae?.lane||D<ln)return null;const B=(s-n)/(d()-ln)*2,Q=Go(ae.lane,x(D)-B);return Q<ae.lane.start.length&&ae.lane.start[Q]<=x(D)+B?{rank:ae.rank,lane:ae.lane,index:Q}:null}u.addEventListener("wheel",P=>{if(!t||P.shiftKey)return;P.preventDefault();const V=u.getBoundingClientRect();Math.abs(P.deltaX)>Math.abs(P.deltaY)?N(n+P.deltaX*(s-n)/d(),s+P.deltaX*(s-n)/d()):Z(Math.exp(P.deltaY*.0016),x(P.clientX-V.left))},{passive:!1});let se=null;u.addEventListener("pointerdown",P=>{se={x:P.clientX,from:n,to:s,moved:!1},u.setPointerCapture(P.pointerId)}),u.addEventListener("pointermove",P=>{if(!t)return;if(!se){const D=X(P);u.title=D?`${H(D.rank,D.lane.id[D.index])}  ${Mn((D.lane.end[D.index]-D.lane.start[D.index])*1e-9)}`:"";return}const V=(se.x-P.clientX)/(d()-ln)*(se.to-se.from);Math.abs(se.x-P.clientX)>3&&(se.moved=!0),se.moved&&N(se.from+V,se.to+V)}),u.addEventListener("pointerup",P=>{se&&!se.moved&&t&&M(X(P)),se=null}),u.addEventListener("dblclick",P=>{const V=t?X(P):null;V&&N(V.lane.start[V.index],V.lane.end[V.index])});function te(P){if(!t)return!1;const V=s-n;switch(P.key){case"a":return N(n-.2*V,s-.2*V),!0;case"d":return N(n+.2*V,s+.2*V),!0;case"w":return Z(.7),!0;case"s":return Z(1.4),!0;case"0":return N(0,t.end),!0;case"Escape":return M(null),!0;case"ArrowLeft":case"ArrowRight":{const D=P.key==="ArrowRight"?1:-1,K=o?.lane??t.ranks[0].lanes[0],ae=o?o.index+D:Go(K,n);return K.id[ae]!==void 0&&M({rank:o?.rank??0,lane:K,index:ae},!0),!0}case"ArrowUp":case"ArrowDown":{const D=r.filter(Q=>Q.lane),K=o?D.findIndex(Q=>Q.rank===o.rank&&Q.lane===o.lane):-1,ae=D[K+(P.key==="ArrowDown"?1:-1)];if(!ae?.lane)return!0;const B=o?o.lane.start[o.index]:n;return M({rank:ae.rank,lane:ae.lane,index:Math.min(Go(ae.lane,B),ae.lane.id.length-1)},!0),!0}default:return!1}}function ne(P,V){const{job:D}=e.run;if(!D)return[P.rank];const K={tensor:1,context:D.tensor,data:D.tensor*D.context,pipeline:D.tensor*D.context*D.data}[V],ae=Array.from({length:D[V]},(Q,j)=>P.rank+(j-P.at[V])*K),B=new Set(l.ranks.map(Q=>Q.rank));return l.reading?ae:ae.filter(Q=>B.has(Q))}function Y(){const P=e.parameters.get("ranks")??String(l.ranks[0].rank),V=I("input",{value:P,size:16,spellcheck:"false",placeholder:"0-3,8"});V.addEventListener("change",()=>{e.remember({ranks:V.value}),q()});const D=Ii(l.steps.slice().reverse().slice(0,64).map(ae=>({value:String(ae),label:String(ae)})),e.parameters.get("step")??"",ae=>{e.remember({step:ae}),q()}),K=Ii([{value:"",label:"choose …"},...["pipeline","data","tensor","context"].map(ae=>({value:ae,label:`${ae} group`}))],"",ae=>{const B=Number.parseInt(V.value,10),Q=l.ranks.find(j=>j.rank===B)??l.ranks[0];ae&&(V.value=ne(Q,ae).join(","),e.remember({ranks:V.value}),q())});nt(c,Si("Ranks",V),Si("Their group",K),Si("Step",D),I("button",{onclick:()=>t&&N(0,t.end),title:"Key 0"},"Whole step"),I("button",{onclick:()=>void q()},"Newest step"),I("span.muted",{title:"Writes a trace that ui.perfetto.dev opens"},"Perfetto: ",I("code",{},`megascale trace ${e.run.path}`))),c.querySelectorAll("button")[1].addEventListener("click",()=>e.remember({step:null}),{capture:!0})}async function q(){const P=e.parameters.get("ranks")??String(l.ranks[0].rank),V=e.parameters.get("step");try{const D=await kn(`/api/runs/${e.run.id}/timeline?ranks=${encodeURIComponent(P)}${V?`&step=${V}`:""}`);if(a)return;t=D,o=null,_.replaceChildren(),n=0,s=D.end,h.hidden=m.hidden=f.hidden=!1,nt(m,I("span",{},`step ${D.step}, ${Mn(D.end*1e-9)}`),...Object.keys(Lf).map(K=>I("span",{},I(`i.${K}`),Lf[K])),I("span",{},I("i.waiting"),"waits for a partner")),T(),U()}catch(D){if(a)return;h.hidden=m.hidden=f.hidden=!0,nt(_,on("This step cannot be shown",D.message,D.status===404?"empty":"error"))}}async function fe(){try{l=await Qr(e.run,64,"")}catch(P){h.hidden=f.hidden=m.hidden=!0,nt(_,on("No records of ranks",P.message,P.status===404?"empty":"error"));return}a||(Y(),await q())}return fe(),{leave(){a=!0,p.disconnect(),v()},key:te}}const no=[{name:"run",title:"Run",show:rE},{name:"ranks",title:"Heat map",show:Zy},{name:"timeline",title:"Timeline",show:uE},{name:"grid",title:"3D",show:jM},{name:"plan",title:"Plan",show:nE},{name:"cluster",title:"Cluster",show:Ip}],ec=document.getElementById("bar"),qo=document.getElementById("page");let Tn=[],jo=null;function oa(){const[i="",e=""]=location.hash.replace(/^#\/?/,"").split("?"),[t="0",n="run"]=i.split("/");return{run:Math.max(0,Tn.findIndex(s=>String(s.id)===t)),page:no.some(s=>s.name===n)?n:"run",parameters:new URLSearchParams(e)}}function ws(i,e,t){const n=t?.toString();return`#/${i}/${e}${n?`?${n}`:""}`}function ap(i,e){const t=i.kind==="trained"&&(i.age_seconds??1/0)<60,n=i.kind==="simulated"?"simulated":i.kind==="measured"?"no metrics":t?"live":i.kind==="empty"?"empty":"not writing";nt(ec,I("a.brand",{href:ws(i.id,"run")},"megascale"),Tn.length>1?I("label.field.inline",{},I("span.unseen",{},"Run"),Ii(Tn.map(s=>({value:String(s.id),label:s.name})),String(i.id),s=>{location.hash=ws(Number(s),e)})):I("span.run",{title:i.path},i.name),I(`span.state.${n.replace(" ","-")}`,{},n),I("nav",{"aria-label":"Pages"},...no.map((s,r)=>I("a",{href:ws(i.id,s.name),"aria-current":s.name===e?"page":void 0,title:`Key ${r+1}`},s.title))),I("button.plain",{onclick:Of,title:"Light or dark (key t)","aria-label":"Light or dark"},"◐"),I("button.plain",{onclick:lp,title:"Keys (key ?)","aria-label":"Keys"},"?"))}function Df(){const{run:i,page:e,parameters:t}=oa(),n=Tn[i];if(jo?.leave(),jo=null,!n)return;ap(n,e);const s=no.find(o=>o.name===e);document.title=`${n.name} · ${s.title} · megascale`;const r={runs:Tn,run:n,parameters:t,remember(o){for(const[a,l]of Object.entries(o))l===null?t.delete(a):t.set(a,l);history.replaceState(null,"",ws(n.id,e,t))},go(o,a={}){location.hash=ws(n.id,o,new URLSearchParams(a))}};nt(qo,I("h1.unseen",{},`${s.title} of ${n.name}`)),qo.className=`page-${e}`,jo=s.show(qo,r),gr(`${s.title} of ${n.name}`)}function lp(){const i=[["1 to 6","pages"],["t","light or dark"],["[ and ]","previous and next run"],["arrows, Enter","heat map: choose a rank, open it"],["arrows, Page Up, Page Down","3D: choose a rank"],["w s","3D: zoom"],["a d, w s","timeline: move, zoom"],["0","timeline: the whole step; 3D: the whole grid"],["Esc","close"]],e=I("dialog",{"aria-label":"Keys"},I("h2",{},"Keys"),I("dl.keys",{},...i.flatMap(([t,n])=>[I("dt",{},t),I("dd",{},n)])),I("button",{onclick:()=>e.close()},"Close"));e.addEventListener("close",()=>e.remove()),document.body.append(e),e.showModal()}function hE(i){const e=i.target;if(i.ctrlKey||i.metaKey||i.altKey||document.querySelector("dialog[open]")||/^(INPUT|SELECT|TEXTAREA)$/.test(e.tagName))return;if(jo?.key?.(i))return i.preventDefault();const{run:t,parameters:n}=oa(),s=Tn[t],r=Number(i.key);if(s&&r>=1&&r<=no.length)location.hash=ws(s.id,no[r-1].name);else if(i.key==="t")Of();else if(i.key==="?")lp();else if((i.key==="["||i.key==="]")&&Tn.length>1){const o=(t+(i.key==="]"?1:Tn.length-1))%Tn.length;location.hash=ws(Tn[o].id,oa().page,n)}}async function fE(){Cp();try{Tn=(await kn("/api/runs")).runs}catch(i){const e=i;nt(qo,on(e.status===401?"No access":"No connection",e.message,"error"));return}addEventListener("hashchange",Df),addEventListener("keydown",hE),Df(),setInterval(async()=>{try{const i=(await kn("/api/runs")).runs;for(const n of i)Object.assign(Tn.find(s=>s.id===n.id)??{},n);const{run:e,page:t}=oa();Tn[e]&&!ec.contains(document.activeElement)&&ap(Tn[e],t)}catch{const i=ec.querySelector(".state");i&&(i.className="state lost",i.textContent="server gone")}},5e3)}fE();
