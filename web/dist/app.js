/*! with uPlot (c) Leon Sorokin and three.js (c) three.js authors, both under the MIT licence */class Vc extends Error{constructor(e,t){super(t),this.status=e}}function cn(i){return bf(i,{})}function mp(i,e){return bf(i,{method:"POST",headers:{"Content-Type":"application/json"},body:JSON.stringify(e)})}async function bf(i,e){let t;try{t=await fetch(i,e)}catch{throw new Vc(0,"The server does not answer. Is megascale serve still running?")}if(t.ok)return await t.json();const n=await t.text();let s=n;try{s=JSON.parse(n).error}catch{}throw new Vc(t.status,s)}function D(i,e={},...t){const[n,...s]=i.split("."),r=document.createElement(n||"div");s.length&&(r.className=s.join(" "));for(const[o,a]of Object.entries(e))a===void 0||a===!1||(typeof a=="function"?r.addEventListener(o.slice(2),a):r.setAttribute(o,a===!0?"":String(a)));for(const o of t)o&&r.append(o);return r}function nt(i,...e){i.replaceChildren(...e.filter(Boolean))}function xi(i,e){return D("label.field",{},D("span",{},i),e)}function Di(i,e,t){const n=D("select",{onchange:()=>t(n.value)});let s=null;for(const r of i){const o=D("option",{value:r.value,selected:r.value===e},r.label);if(!r.group){n.append(o);continue}s?.getAttribute("label")!==r.group&&(s=D("optgroup",{label:r.group}),n.append(s)),s.append(o)}return n}function rn(i,e,t="empty"){return D(`div.notice.${t}`,{role:t==="error"?"alert":"status"},D("h2",{},i),D("p",{},e))}function pr(i){const e=document.getElementById("live");e&&(e.textContent=i)}const wf="megascale-theme",Cl=new Set;function gp(){const i=localStorage.getItem(wf);i&&(document.documentElement.dataset.theme=i),matchMedia("(prefers-color-scheme: dark)").addEventListener("change",Rf)}function Tf(){const i=document.documentElement.dataset.theme;return i?i==="dark":matchMedia("(prefers-color-scheme: dark)").matches}function Af(){const i=Tf()?"light":"dark";document.documentElement.dataset.theme=i,localStorage.setItem(wf,i),Rf()}function Rf(){for(const i of Cl)i()}function sa(i){return Cl.add(i),()=>Cl.delete(i)}function kt(i){return getComputedStyle(document.documentElement).getPropertyValue(i).trim()}const _p=[[1e15,"P"],[1e12,"T"],[1e9,"G"],[1e6,"M"],[1e3,"k"]];function _i(i,e=3){const t=Math.abs(i);for(const[n,s]of _p)if(t>=n)return`${Ms(i/n,e)} ${s}`;return t!==0&&t<.001?i.toExponential(e-1):Ms(i,e)}function Ms(i,e){const t=Math.abs(i),n=t>=1?Math.max(0,e-1-Math.floor(Math.log10(t))):e;return i.toFixed(Math.min(n,6))}function Mn(i){const e=Math.abs(i);return e===0?"0 s":e<1e-6?`${Ms(i*1e9,3)} ns`:e<.001?`${Ms(i*1e6,3)} µs`:e<1?`${Ms(i*1e3,3)} ms`:e<120?`${Ms(i,3)} s`:gs(i)}function gs(i){const e=[[86400,"d"],[3600,"h"],[60,"min"],[1,"s"]],t=[];let n=Math.round(i);for(const[s,r]of e)if((n>=s||t.length&&t.length<2)&&(t.push(`${Math.floor(n/s)} ${r}`),n%=s),t.length===2)break;return t.join(" ")||"0 s"}function ri(i){const e=["B","KiB","MiB","GiB","TiB"];let t=0;for(;Math.abs(i)>=1024&&t+1<e.length;)i/=1024,t+=1;return`${t===0?i.toFixed(0):Ms(i,3)} ${e[t]}`}function wn(i,e=1){return`${(100*i).toFixed(e)} %`}function Pi(i,e){switch(e){case"seconds":return Mn(i);case"ratio":return wn(i);case"bytes":return ri(i);default:return _i(i,4)+(e&&e!=="nats"?` ${e}`:"")}}const Na={stepping:"new steps",checkpoint_stall:"waiting for checkpoints",detection:"detecting faults",checks:"self-checks",restart:"starting and loading",repeated:"repeating lost steps",idle:"waiting"},vp=["member","spare"];function xp(i,e){const t=D("div");i.append(t);let n=!1,s=0,r="",o="";function a(v,d,p){return D("div.scroll",{tabindex:0,role:"region","aria-label":v},D("table",{},D("thead",{},D("tr",{},...d.map(y=>D("th",{},y)))),D("tbody",{},...p)))}function l(...v){return D("tr",{},...v.map(d=>typeof d=="string"?D("td",{},d):d.tagName==="TD"?d:D("td",{},d)))}function c(v){const d=D("input",{size:44,maxlength:400,placeholder:"for the job's record"}),p=D("p.failure",{role:"alert",hidden:!0}),y=D("button.danger",{},`Evict ${v}`),S=D("dialog",{"aria-label":`Evict ${v}`},D("h2",{},`Evict ${v}?`),D("p",{},"The host gets no ranks of this job any more. If it has ranks now, the job goes back to its newest checkpoint and continues on other hosts."),D("p.muted",{},"megascale evict HOST --allow takes this back."),D("label.field",{},D("span",{},"Reason"),d),p,D("div.choices",{},D("button",{onclick:()=>S.close()},"Cancel"),y));y.addEventListener("click",()=>{y.disabled=!0,mp(`/api/runs/${e.run.id}/evict`,{host:v,why:d.value}).then(()=>{o=`The driver was told to evict ${v}.`,pr(o),r="",S.close(),_()}).catch(w=>{p.hidden=!1,p.textContent=w.message,y.disabled=!1})}),S.addEventListener("close",()=>S.remove()),document.body.append(S),S.showModal()}function u(v,d){const[p,...y]=v.state.split(": "),S=d.incidents.filter(w=>w.host===v.host).length;return l(D("td",{},D("strong",{},v.host),d.status.driver_host===v.host?D("span.muted",{}," driver"):null),D("span",{},D(`span.state.${vp.includes(p)?"live":"lost"}`,{},p),y.length?` ${y.join(": ")}`:null),String(v.cores||"–"),String(S),...d.can_evict?[p!=="blocked"?D("button",{onclick:()=>c(v.host)},"Evict …"):""]:[])}function h(v){const{status:d}=v,p=d.exit_code===void 0?"":d.exit_code===0?"ended":"failed",y=p||(d.driver_lives?d.phase:"driver is gone"),S=p==="failed"?`exit code ${d.exit_code}`:!p&&!d.driver_lives?`last seen ${gs(d.silent_seconds)} ago`:`attempt ${d.attempt}`,w=d.hosts.filter(H=>H.state==="member").length;return D("div.tiles",{},...[["State",y,S],["Effective training",wn(d.effective),`of ${gs(d.seconds.wall)}`],["Steps",d.steps_done.toLocaleString("en"),d.checkpoint!==void 0?`checkpoint at ${d.checkpoint.toLocaleString("en")}`:"no checkpoint yet"],["Incidents",String(v.incidents.length),`${v.incidents.filter(H=>H.open).length} open`],["Hosts",String(d.hosts.length),`${w} with ranks`]].map(([H,T,R])=>D("div.tile",{},D("span.label",{},H),D("span.value",{},T),D("span.detail",{},R))))}function f(v){const{seconds:d,effective:p}=v.status,y=D("div.bar.tall",{role:"img","aria-label":`effective training ${wn(p)}`});return Object.keys(Na).forEach((S,w)=>{const H=D(`span.memory-${w}`,{title:`${Na[S]}: ${gs(d[S]??0)}`});H.style.width=`${100*(d[S]??0)/(d.wall||1)}%`,y.append(H)}),[D("h2",{},"Where the time went"),y,D("div.legend",{},...Object.entries(Na).map(([S,w],H)=>D("span",{},D(`i.memory-${H}`),`${w} ${gs(d[S]??0)}`)))]}function m(v){nt(t,h(v),v.status.end?rn("The job has failed",v.status.end,"error"):null,o?D("p.fine",{},o):null,...f(v),D("h2",{},"Hosts"),a("Hosts",v.can_evict?["Host","State","Cores","Incidents","Order"]:["Host","State","Cores","Incidents"],v.status.hosts.map(d=>u(d,v))),v.can_evict?null:D("p.muted",{},"To evict hosts from this page, give megascale serve the options --driver and --operator-cert."),D("h2",{},"Incidents"),v.incidents.length===0?D("p.fine",{},"None so far."):a("Incidents",["Number","What","Rule","Host","Step","Evidence","Action","Outcome"],v.incidents.slice().reverse().map(d=>l(String(d.number),d.what,D("code",{},d.rule),d.host,d.step>=0?String(d.step):"–",D("td.long",{},d.evidence),d.action,d.open?"open":`${d.outcome}${d.seconds!==void 0?` (${gs(d.seconds)})`:""}`))),D("h2",{},"Attempts"),a("Attempts",["Number","Resumed at step","Steps done","Outcome"],v.attempts.slice().reverse().map(d=>l(String(d.number),d.resumed_step>=0?String(d.resumed_step):"–",d.steps_done>=0?String(d.steps_done):"–",d.runs?"runs":d.outcome))))}async function _(){window.clearTimeout(s);try{const v=await cn(`/api/runs/${e.run.id}/job`),d=JSON.stringify(v);!n&&d!==r&&!(t.contains(document.activeElement)&&r!==""&&Mp(r,d))&&(r=d,m(v))}catch(v){const d=v;r="",n||nt(t,rn(d.status===404?"No driver":"The record cannot be read",d.message,d.status===404?"empty":"error"))}n||(s=window.setTimeout(()=>void _(),3e3))}return _(),{leave(){n=!0,window.clearTimeout(s)}}}function Mp(i,e){const t=n=>{const s=JSON.parse(n),{phase:r,driver_lives:o,attempt:a,hosts:l}=s.status;return JSON.stringify([r,o,a,l,s.incidents,s.attempts])};return t(i)===t(e)}const Sp=.2,yp=[37,99,201],Ep=[204,62,28],bp=[226,229,235],wp=[58,64,75];function Cf(i){const e=Tf()?wp:bp,t=i<0?yp:Ep,n=Math.min(1,Math.abs(i)/Sp)**.8,[s,r,o]=e.map((a,l)=>Math.round(a+(t[l]-a)*n));return{css:`rgb(${s} ${r} ${o})`,rgb:[s,r,o],is_light:.299*s+.587*r+.114*o>140}}const ho=[[44,62,140],[33,118,152],[46,160,122],[150,190,70],[240,205,60]];function Tp(i){const e=Math.max(0,Math.min(1,i))*(ho.length-1),t=Math.min(ho.length-2,Math.floor(e));return ho[t].map((n,s)=>n+(ho[t+1][s]-n)*(e-t))}const Ap={usual:[92,128,178],slow:[224,130,36],stuck:[214,40,40],waits:[216,178,70],unknown:[148,156,170]};function Gc(i){return Ap[i]}const Wc=["#4c7fd6","#3f9e7b","#c98a2b","#8f66c4","#c2587f","#4aa3b5","#8a9a3b","#b5643c","#6d78a8","#7d9b6a"];function Rp(i){return Wc[i%Wc.length]}const Cp={exposed_comm:"--idle-exposed",bubble:"--idle-bubble",data_wait:"--idle-data"},Pp=.28,Lp=[.2,.24,.42],Dp=14;class Up{constructor(e){this.job=e,this.counts=[e.data*e.context,e.tensor,e.pipeline],this.world=this.counts[0]*this.counts[1]*this.counts[2];const t=Math.max(...this.counts);this.place=this.counts.map((n,s)=>n===1?1:Math.max(1,Math.min(Dp,Lp[s]*t/n))),this.cell=this.place.map(n=>n*(1-Pp))}counts;place;cell;world;at(e){const{tensor:t,context:n,data:s}=this.job;return{tensor:e%t,context:Math.floor(e/t)%n,data:Math.floor(e/(t*n))%s,pipeline:Math.floor(e/(t*n*s))}}cell_of(e){const{tensor:t,context:n,data:s,pipeline:r}=this.at(e);return[s*this.job.context+n,t,r]}rank_at([e,t,n]){const{tensor:s}=this.job;return t+s*(e+this.counts[0]*n)}position(e){const t=this.cell_of(e);return[(t[0]-(this.counts[0]-1)/2)*this.place[0],(t[1]-(this.counts[1]-1)/2)*this.place[1],((this.counts[2]-1)/2-t[2])*this.place[2]]}get half(){return this.counts.map((e,t)=>e*this.place[t]/2)}neighbour(e,t,n){const s=this.cell_of(e);return s[t]=Math.max(0,Math.min(this.counts[t]-1,s[t]+n)),this.rank_at(s)}}/**
 * @license
 * Copyright 2010-2024 Three.js Authors
 * SPDX-License-Identifier: MIT
 */const Zl="164",Vs={ROTATE:0,DOLLY:1,PAN:2},Gs={ROTATE:0,PAN:1,DOLLY_PAN:2,DOLLY_ROTATE:3},Ip=0,Xc=1,Np=2,Pf=1,Op=2,Ci=3,ts=0,Tn=1,mi=2,Qi=0,ur=1,$c=2,Yc=3,qc=4,Fp=5,_s=100,kp=101,Bp=102,zp=103,Hp=104,Vp=200,Gp=201,Wp=202,Xp=203,Pl=204,Ll=205,$p=206,Yp=207,qp=208,Kp=209,jp=210,Zp=211,Jp=212,Qp=213,em=214,tm=0,nm=1,im=2,Yo=3,sm=4,rm=5,om=6,am=7,Lf=0,lm=1,cm=2,es=0,um=1,hm=2,fm=3,dm=4,pm=5,mm=6,gm=7,Df=300,mr=301,gr=302,Dl=303,Ul=304,ra=306,Il=1e3,Ss=1001,Nl=1002,qn=1003,_m=1004,fo=1005,oi=1006,Oa=1007,ys=1008,ns=1009,vm=1010,xm=1011,Uf=1012,If=1013,_r=1014,Ji=1015,oa=1016,Nf=1017,Of=1018,to=1020,Mm=35902,Sm=1021,ym=1022,vi=1023,Em=1024,bm=1025,hr=1026,Zr=1027,wm=1028,Ff=1029,Tm=1030,kf=1031,Bf=1033,Fa=33776,ka=33777,Ba=33778,za=33779,Kc=35840,jc=35841,Zc=35842,Jc=35843,Qc=36196,eu=37492,tu=37496,nu=37808,iu=37809,su=37810,ru=37811,ou=37812,au=37813,lu=37814,cu=37815,uu=37816,hu=37817,fu=37818,du=37819,pu=37820,mu=37821,Ha=36492,gu=36494,_u=36495,Am=36283,vu=36284,xu=36285,Mu=36286,Rm=3200,Cm=3201,Pm=0,Lm=1,Zi="",di="srgb",Fi="srgb-linear",Jl="display-p3",aa="display-p3-linear",qo="linear",Pt="srgb",Ko="rec709",jo="p3",Ws=7680,Su=519,Dm=512,Um=513,Im=514,zf=515,Nm=516,Om=517,Fm=518,km=519,yu=35044,Eu="300 es",Li=2e3,Zo=2001;class Rs{addEventListener(e,t){this._listeners===void 0&&(this._listeners={});const n=this._listeners;n[e]===void 0&&(n[e]=[]),n[e].indexOf(t)===-1&&n[e].push(t)}hasEventListener(e,t){if(this._listeners===void 0)return!1;const n=this._listeners;return n[e]!==void 0&&n[e].indexOf(t)!==-1}removeEventListener(e,t){if(this._listeners===void 0)return;const s=this._listeners[e];if(s!==void 0){const r=s.indexOf(t);r!==-1&&s.splice(r,1)}}dispatchEvent(e){if(this._listeners===void 0)return;const n=this._listeners[e.type];if(n!==void 0){e.target=this;const s=n.slice(0);for(let r=0,o=s.length;r<o;r++)s[r].call(this,e);e.target=null}}}const fn=["00","01","02","03","04","05","06","07","08","09","0a","0b","0c","0d","0e","0f","10","11","12","13","14","15","16","17","18","19","1a","1b","1c","1d","1e","1f","20","21","22","23","24","25","26","27","28","29","2a","2b","2c","2d","2e","2f","30","31","32","33","34","35","36","37","38","39","3a","3b","3c","3d","3e","3f","40","41","42","43","44","45","46","47","48","49","4a","4b","4c","4d","4e","4f","50","51","52","53","54","55","56","57","58","59","5a","5b","5c","5d","5e","5f","60","61","62","63","64","65","66","67","68","69","6a","6b","6c","6d","6e","6f","70","71","72","73","74","75","76","77","78","79","7a","7b","7c","7d","7e","7f","80","81","82","83","84","85","86","87","88","89","8a","8b","8c","8d","8e","8f","90","91","92","93","94","95","96","97","98","99","9a","9b","9c","9d","9e","9f","a0","a1","a2","a3","a4","a5","a6","a7","a8","a9","aa","ab","ac","ad","ae","af","b0","b1","b2","b3","b4","b5","b6","b7","b8","b9","ba","bb","bc","bd","be","bf","c0","c1","c2","c3","c4","c5","c6","c7","c8","c9","ca","cb","cc","cd","ce","cf","d0","d1","d2","d3","d4","d5","d6","d7","d8","d9","da","db","dc","dd","de","df","e0","e1","e2","e3","e4","e5","e6","e7","e8","e9","ea","eb","ec","ed","ee","ef","f0","f1","f2","f3","f4","f5","f6","f7","f8","f9","fa","fb","fc","fd","fe","ff"],Ho=Math.PI/180,Ol=180/Math.PI;function no(){const i=Math.random()*4294967295|0,e=Math.random()*4294967295|0,t=Math.random()*4294967295|0,n=Math.random()*4294967295|0;return(fn[i&255]+fn[i>>8&255]+fn[i>>16&255]+fn[i>>24&255]+"-"+fn[e&255]+fn[e>>8&255]+"-"+fn[e>>16&15|64]+fn[e>>24&255]+"-"+fn[t&63|128]+fn[t>>8&255]+"-"+fn[t>>16&255]+fn[t>>24&255]+fn[n&255]+fn[n>>8&255]+fn[n>>16&255]+fn[n>>24&255]).toLowerCase()}function ln(i,e,t){return Math.max(e,Math.min(t,i))}function Bm(i,e){return(i%e+e)%e}function Va(i,e,t){return(1-t)*i+t*e}function Nr(i,e){switch(e.constructor){case Float32Array:return i;case Uint32Array:return i/4294967295;case Uint16Array:return i/65535;case Uint8Array:return i/255;case Int32Array:return Math.max(i/2147483647,-1);case Int16Array:return Math.max(i/32767,-1);case Int8Array:return Math.max(i/127,-1);default:throw new Error("Invalid component type.")}}function En(i,e){switch(e.constructor){case Float32Array:return i;case Uint32Array:return Math.round(i*4294967295);case Uint16Array:return Math.round(i*65535);case Uint8Array:return Math.round(i*255);case Int32Array:return Math.round(i*2147483647);case Int16Array:return Math.round(i*32767);case Int8Array:return Math.round(i*127);default:throw new Error("Invalid component type.")}}const zm={DEG2RAD:Ho};class ze{constructor(e=0,t=0){ze.prototype.isVector2=!0,this.x=e,this.y=t}get width(){return this.x}set width(e){this.x=e}get height(){return this.y}set height(e){this.y=e}set(e,t){return this.x=e,this.y=t,this}setScalar(e){return this.x=e,this.y=e,this}setX(e){return this.x=e,this}setY(e){return this.y=e,this}setComponent(e,t){switch(e){case 0:this.x=t;break;case 1:this.y=t;break;default:throw new Error("index is out of range: "+e)}return this}getComponent(e){switch(e){case 0:return this.x;case 1:return this.y;default:throw new Error("index is out of range: "+e)}}clone(){return new this.constructor(this.x,this.y)}copy(e){return this.x=e.x,this.y=e.y,this}add(e){return this.x+=e.x,this.y+=e.y,this}addScalar(e){return this.x+=e,this.y+=e,this}addVectors(e,t){return this.x=e.x+t.x,this.y=e.y+t.y,this}addScaledVector(e,t){return this.x+=e.x*t,this.y+=e.y*t,this}sub(e){return this.x-=e.x,this.y-=e.y,this}subScalar(e){return this.x-=e,this.y-=e,this}subVectors(e,t){return this.x=e.x-t.x,this.y=e.y-t.y,this}multiply(e){return this.x*=e.x,this.y*=e.y,this}multiplyScalar(e){return this.x*=e,this.y*=e,this}divide(e){return this.x/=e.x,this.y/=e.y,this}divideScalar(e){return this.multiplyScalar(1/e)}applyMatrix3(e){const t=this.x,n=this.y,s=e.elements;return this.x=s[0]*t+s[3]*n+s[6],this.y=s[1]*t+s[4]*n+s[7],this}min(e){return this.x=Math.min(this.x,e.x),this.y=Math.min(this.y,e.y),this}max(e){return this.x=Math.max(this.x,e.x),this.y=Math.max(this.y,e.y),this}clamp(e,t){return this.x=Math.max(e.x,Math.min(t.x,this.x)),this.y=Math.max(e.y,Math.min(t.y,this.y)),this}clampScalar(e,t){return this.x=Math.max(e,Math.min(t,this.x)),this.y=Math.max(e,Math.min(t,this.y)),this}clampLength(e,t){const n=this.length();return this.divideScalar(n||1).multiplyScalar(Math.max(e,Math.min(t,n)))}floor(){return this.x=Math.floor(this.x),this.y=Math.floor(this.y),this}ceil(){return this.x=Math.ceil(this.x),this.y=Math.ceil(this.y),this}round(){return this.x=Math.round(this.x),this.y=Math.round(this.y),this}roundToZero(){return this.x=Math.trunc(this.x),this.y=Math.trunc(this.y),this}negate(){return this.x=-this.x,this.y=-this.y,this}dot(e){return this.x*e.x+this.y*e.y}cross(e){return this.x*e.y-this.y*e.x}lengthSq(){return this.x*this.x+this.y*this.y}length(){return Math.sqrt(this.x*this.x+this.y*this.y)}manhattanLength(){return Math.abs(this.x)+Math.abs(this.y)}normalize(){return this.divideScalar(this.length()||1)}angle(){return Math.atan2(-this.y,-this.x)+Math.PI}angleTo(e){const t=Math.sqrt(this.lengthSq()*e.lengthSq());if(t===0)return Math.PI/2;const n=this.dot(e)/t;return Math.acos(ln(n,-1,1))}distanceTo(e){return Math.sqrt(this.distanceToSquared(e))}distanceToSquared(e){const t=this.x-e.x,n=this.y-e.y;return t*t+n*n}manhattanDistanceTo(e){return Math.abs(this.x-e.x)+Math.abs(this.y-e.y)}setLength(e){return this.normalize().multiplyScalar(e)}lerp(e,t){return this.x+=(e.x-this.x)*t,this.y+=(e.y-this.y)*t,this}lerpVectors(e,t,n){return this.x=e.x+(t.x-e.x)*n,this.y=e.y+(t.y-e.y)*n,this}equals(e){return e.x===this.x&&e.y===this.y}fromArray(e,t=0){return this.x=e[t],this.y=e[t+1],this}toArray(e=[],t=0){return e[t]=this.x,e[t+1]=this.y,e}fromBufferAttribute(e,t){return this.x=e.getX(t),this.y=e.getY(t),this}rotateAround(e,t){const n=Math.cos(t),s=Math.sin(t),r=this.x-e.x,o=this.y-e.y;return this.x=r*n-o*s+e.x,this.y=r*s+o*n+e.y,this}random(){return this.x=Math.random(),this.y=Math.random(),this}*[Symbol.iterator](){yield this.x,yield this.y}}class rt{constructor(e,t,n,s,r,o,a,l,c){rt.prototype.isMatrix3=!0,this.elements=[1,0,0,0,1,0,0,0,1],e!==void 0&&this.set(e,t,n,s,r,o,a,l,c)}set(e,t,n,s,r,o,a,l,c){const u=this.elements;return u[0]=e,u[1]=s,u[2]=a,u[3]=t,u[4]=r,u[5]=l,u[6]=n,u[7]=o,u[8]=c,this}identity(){return this.set(1,0,0,0,1,0,0,0,1),this}copy(e){const t=this.elements,n=e.elements;return t[0]=n[0],t[1]=n[1],t[2]=n[2],t[3]=n[3],t[4]=n[4],t[5]=n[5],t[6]=n[6],t[7]=n[7],t[8]=n[8],this}extractBasis(e,t,n){return e.setFromMatrix3Column(this,0),t.setFromMatrix3Column(this,1),n.setFromMatrix3Column(this,2),this}setFromMatrix4(e){const t=e.elements;return this.set(t[0],t[4],t[8],t[1],t[5],t[9],t[2],t[6],t[10]),this}multiply(e){return this.multiplyMatrices(this,e)}premultiply(e){return this.multiplyMatrices(e,this)}multiplyMatrices(e,t){const n=e.elements,s=t.elements,r=this.elements,o=n[0],a=n[3],l=n[6],c=n[1],u=n[4],h=n[7],f=n[2],m=n[5],_=n[8],v=s[0],d=s[3],p=s[6],y=s[1],S=s[4],w=s[7],H=s[2],T=s[5],R=s[8];return r[0]=o*v+a*y+l*H,r[3]=o*d+a*S+l*T,r[6]=o*p+a*w+l*R,r[1]=c*v+u*y+h*H,r[4]=c*d+u*S+h*T,r[7]=c*p+u*w+h*R,r[2]=f*v+m*y+_*H,r[5]=f*d+m*S+_*T,r[8]=f*p+m*w+_*R,this}multiplyScalar(e){const t=this.elements;return t[0]*=e,t[3]*=e,t[6]*=e,t[1]*=e,t[4]*=e,t[7]*=e,t[2]*=e,t[5]*=e,t[8]*=e,this}determinant(){const e=this.elements,t=e[0],n=e[1],s=e[2],r=e[3],o=e[4],a=e[5],l=e[6],c=e[7],u=e[8];return t*o*u-t*a*c-n*r*u+n*a*l+s*r*c-s*o*l}invert(){const e=this.elements,t=e[0],n=e[1],s=e[2],r=e[3],o=e[4],a=e[5],l=e[6],c=e[7],u=e[8],h=u*o-a*c,f=a*l-u*r,m=c*r-o*l,_=t*h+n*f+s*m;if(_===0)return this.set(0,0,0,0,0,0,0,0,0);const v=1/_;return e[0]=h*v,e[1]=(s*c-u*n)*v,e[2]=(a*n-s*o)*v,e[3]=f*v,e[4]=(u*t-s*l)*v,e[5]=(s*r-a*t)*v,e[6]=m*v,e[7]=(n*l-c*t)*v,e[8]=(o*t-n*r)*v,this}transpose(){let e;const t=this.elements;return e=t[1],t[1]=t[3],t[3]=e,e=t[2],t[2]=t[6],t[6]=e,e=t[5],t[5]=t[7],t[7]=e,this}getNormalMatrix(e){return this.setFromMatrix4(e).invert().transpose()}transposeIntoArray(e){const t=this.elements;return e[0]=t[0],e[1]=t[3],e[2]=t[6],e[3]=t[1],e[4]=t[4],e[5]=t[7],e[6]=t[2],e[7]=t[5],e[8]=t[8],this}setUvTransform(e,t,n,s,r,o,a){const l=Math.cos(r),c=Math.sin(r);return this.set(n*l,n*c,-n*(l*o+c*a)+o+e,-s*c,s*l,-s*(-c*o+l*a)+a+t,0,0,1),this}scale(e,t){return this.premultiply(Ga.makeScale(e,t)),this}rotate(e){return this.premultiply(Ga.makeRotation(-e)),this}translate(e,t){return this.premultiply(Ga.makeTranslation(e,t)),this}makeTranslation(e,t){return e.isVector2?this.set(1,0,e.x,0,1,e.y,0,0,1):this.set(1,0,e,0,1,t,0,0,1),this}makeRotation(e){const t=Math.cos(e),n=Math.sin(e);return this.set(t,-n,0,n,t,0,0,0,1),this}makeScale(e,t){return this.set(e,0,0,0,t,0,0,0,1),this}equals(e){const t=this.elements,n=e.elements;for(let s=0;s<9;s++)if(t[s]!==n[s])return!1;return!0}fromArray(e,t=0){for(let n=0;n<9;n++)this.elements[n]=e[n+t];return this}toArray(e=[],t=0){const n=this.elements;return e[t]=n[0],e[t+1]=n[1],e[t+2]=n[2],e[t+3]=n[3],e[t+4]=n[4],e[t+5]=n[5],e[t+6]=n[6],e[t+7]=n[7],e[t+8]=n[8],e}clone(){return new this.constructor().fromArray(this.elements)}}const Ga=new rt;function Hf(i){for(let e=i.length-1;e>=0;--e)if(i[e]>=65535)return!0;return!1}function Jo(i){return document.createElementNS("http://www.w3.org/1999/xhtml",i)}function Hm(){const i=Jo("canvas");return i.style.display="block",i}const bu={};function Vm(i){i in bu||(bu[i]=!0,console.warn(i))}const wu=new rt().set(.8224621,.177538,0,.0331941,.9668058,0,.0170827,.0723974,.9105199),Tu=new rt().set(1.2249401,-.2249404,0,-.0420569,1.0420571,0,-.0196376,-.0786361,1.0982735),po={[Fi]:{transfer:qo,primaries:Ko,toReference:i=>i,fromReference:i=>i},[di]:{transfer:Pt,primaries:Ko,toReference:i=>i.convertSRGBToLinear(),fromReference:i=>i.convertLinearToSRGB()},[aa]:{transfer:qo,primaries:jo,toReference:i=>i.applyMatrix3(Tu),fromReference:i=>i.applyMatrix3(wu)},[Jl]:{transfer:Pt,primaries:jo,toReference:i=>i.convertSRGBToLinear().applyMatrix3(Tu),fromReference:i=>i.applyMatrix3(wu).convertLinearToSRGB()}},Gm=new Set([Fi,aa]),vt={enabled:!0,_workingColorSpace:Fi,get workingColorSpace(){return this._workingColorSpace},set workingColorSpace(i){if(!Gm.has(i))throw new Error(`Unsupported working color space, "${i}".`);this._workingColorSpace=i},convert:function(i,e,t){if(this.enabled===!1||e===t||!e||!t)return i;const n=po[e].toReference,s=po[t].fromReference;return s(n(i))},fromWorkingColorSpace:function(i,e){return this.convert(i,this._workingColorSpace,e)},toWorkingColorSpace:function(i,e){return this.convert(i,e,this._workingColorSpace)},getPrimaries:function(i){return po[i].primaries},getTransfer:function(i){return i===Zi?qo:po[i].transfer}};function fr(i){return i<.04045?i*.0773993808:Math.pow(i*.9478672986+.0521327014,2.4)}function Wa(i){return i<.0031308?i*12.92:1.055*Math.pow(i,.41666)-.055}let Xs;class Wm{static getDataURL(e){if(/^data:/i.test(e.src)||typeof HTMLCanvasElement>"u")return e.src;let t;if(e instanceof HTMLCanvasElement)t=e;else{Xs===void 0&&(Xs=Jo("canvas")),Xs.width=e.width,Xs.height=e.height;const n=Xs.getContext("2d");e instanceof ImageData?n.putImageData(e,0,0):n.drawImage(e,0,0,e.width,e.height),t=Xs}return t.width>2048||t.height>2048?(console.warn("THREE.ImageUtils.getDataURL: Image converted to jpg for performance reasons",e),t.toDataURL("image/jpeg",.6)):t.toDataURL("image/png")}static sRGBToLinear(e){if(typeof HTMLImageElement<"u"&&e instanceof HTMLImageElement||typeof HTMLCanvasElement<"u"&&e instanceof HTMLCanvasElement||typeof ImageBitmap<"u"&&e instanceof ImageBitmap){const t=Jo("canvas");t.width=e.width,t.height=e.height;const n=t.getContext("2d");n.drawImage(e,0,0,e.width,e.height);const s=n.getImageData(0,0,e.width,e.height),r=s.data;for(let o=0;o<r.length;o++)r[o]=fr(r[o]/255)*255;return n.putImageData(s,0,0),t}else if(e.data){const t=e.data.slice(0);for(let n=0;n<t.length;n++)t instanceof Uint8Array||t instanceof Uint8ClampedArray?t[n]=Math.floor(fr(t[n]/255)*255):t[n]=fr(t[n]);return{data:t,width:e.width,height:e.height}}else return console.warn("THREE.ImageUtils.sRGBToLinear(): Unsupported image type. No color space conversion applied."),e}}let Xm=0;class Vf{constructor(e=null){this.isSource=!0,Object.defineProperty(this,"id",{value:Xm++}),this.uuid=no(),this.data=e,this.dataReady=!0,this.version=0}set needsUpdate(e){e===!0&&this.version++}toJSON(e){const t=e===void 0||typeof e=="string";if(!t&&e.images[this.uuid]!==void 0)return e.images[this.uuid];const n={uuid:this.uuid,url:""},s=this.data;if(s!==null){let r;if(Array.isArray(s)){r=[];for(let o=0,a=s.length;o<a;o++)s[o].isDataTexture?r.push(Xa(s[o].image)):r.push(Xa(s[o]))}else r=Xa(s);n.url=r}return t||(e.images[this.uuid]=n),n}}function Xa(i){return typeof HTMLImageElement<"u"&&i instanceof HTMLImageElement||typeof HTMLCanvasElement<"u"&&i instanceof HTMLCanvasElement||typeof ImageBitmap<"u"&&i instanceof ImageBitmap?Wm.getDataURL(i):i.data?{data:Array.from(i.data),width:i.width,height:i.height,type:i.data.constructor.name}:(console.warn("THREE.Texture: Unable to serialize Texture."),{})}let $m=0;class An extends Rs{constructor(e=An.DEFAULT_IMAGE,t=An.DEFAULT_MAPPING,n=Ss,s=Ss,r=oi,o=ys,a=vi,l=ns,c=An.DEFAULT_ANISOTROPY,u=Zi){super(),this.isTexture=!0,Object.defineProperty(this,"id",{value:$m++}),this.uuid=no(),this.name="",this.source=new Vf(e),this.mipmaps=[],this.mapping=t,this.channel=0,this.wrapS=n,this.wrapT=s,this.magFilter=r,this.minFilter=o,this.anisotropy=c,this.format=a,this.internalFormat=null,this.type=l,this.offset=new ze(0,0),this.repeat=new ze(1,1),this.center=new ze(0,0),this.rotation=0,this.matrixAutoUpdate=!0,this.matrix=new rt,this.generateMipmaps=!0,this.premultiplyAlpha=!1,this.flipY=!0,this.unpackAlignment=4,this.colorSpace=u,this.userData={},this.version=0,this.onUpdate=null,this.isRenderTargetTexture=!1,this.pmremVersion=0}get image(){return this.source.data}set image(e=null){this.source.data=e}updateMatrix(){this.matrix.setUvTransform(this.offset.x,this.offset.y,this.repeat.x,this.repeat.y,this.rotation,this.center.x,this.center.y)}clone(){return new this.constructor().copy(this)}copy(e){return this.name=e.name,this.source=e.source,this.mipmaps=e.mipmaps.slice(0),this.mapping=e.mapping,this.channel=e.channel,this.wrapS=e.wrapS,this.wrapT=e.wrapT,this.magFilter=e.magFilter,this.minFilter=e.minFilter,this.anisotropy=e.anisotropy,this.format=e.format,this.internalFormat=e.internalFormat,this.type=e.type,this.offset.copy(e.offset),this.repeat.copy(e.repeat),this.center.copy(e.center),this.rotation=e.rotation,this.matrixAutoUpdate=e.matrixAutoUpdate,this.matrix.copy(e.matrix),this.generateMipmaps=e.generateMipmaps,this.premultiplyAlpha=e.premultiplyAlpha,this.flipY=e.flipY,this.unpackAlignment=e.unpackAlignment,this.colorSpace=e.colorSpace,this.userData=JSON.parse(JSON.stringify(e.userData)),this.needsUpdate=!0,this}toJSON(e){const t=e===void 0||typeof e=="string";if(!t&&e.textures[this.uuid]!==void 0)return e.textures[this.uuid];const n={metadata:{version:4.6,type:"Texture",generator:"Texture.toJSON"},uuid:this.uuid,name:this.name,image:this.source.toJSON(e).uuid,mapping:this.mapping,channel:this.channel,repeat:[this.repeat.x,this.repeat.y],offset:[this.offset.x,this.offset.y],center:[this.center.x,this.center.y],rotation:this.rotation,wrap:[this.wrapS,this.wrapT],format:this.format,internalFormat:this.internalFormat,type:this.type,colorSpace:this.colorSpace,minFilter:this.minFilter,magFilter:this.magFilter,anisotropy:this.anisotropy,flipY:this.flipY,generateMipmaps:this.generateMipmaps,premultiplyAlpha:this.premultiplyAlpha,unpackAlignment:this.unpackAlignment};return Object.keys(this.userData).length>0&&(n.userData=this.userData),t||(e.textures[this.uuid]=n),n}dispose(){this.dispatchEvent({type:"dispose"})}transformUv(e){if(this.mapping!==Df)return e;if(e.applyMatrix3(this.matrix),e.x<0||e.x>1)switch(this.wrapS){case Il:e.x=e.x-Math.floor(e.x);break;case Ss:e.x=e.x<0?0:1;break;case Nl:Math.abs(Math.floor(e.x)%2)===1?e.x=Math.ceil(e.x)-e.x:e.x=e.x-Math.floor(e.x);break}if(e.y<0||e.y>1)switch(this.wrapT){case Il:e.y=e.y-Math.floor(e.y);break;case Ss:e.y=e.y<0?0:1;break;case Nl:Math.abs(Math.floor(e.y)%2)===1?e.y=Math.ceil(e.y)-e.y:e.y=e.y-Math.floor(e.y);break}return this.flipY&&(e.y=1-e.y),e}set needsUpdate(e){e===!0&&(this.version++,this.source.needsUpdate=!0)}set needsPMREMUpdate(e){e===!0&&this.pmremVersion++}}An.DEFAULT_IMAGE=null;An.DEFAULT_MAPPING=Df;An.DEFAULT_ANISOTROPY=1;class un{constructor(e=0,t=0,n=0,s=1){un.prototype.isVector4=!0,this.x=e,this.y=t,this.z=n,this.w=s}get width(){return this.z}set width(e){this.z=e}get height(){return this.w}set height(e){this.w=e}set(e,t,n,s){return this.x=e,this.y=t,this.z=n,this.w=s,this}setScalar(e){return this.x=e,this.y=e,this.z=e,this.w=e,this}setX(e){return this.x=e,this}setY(e){return this.y=e,this}setZ(e){return this.z=e,this}setW(e){return this.w=e,this}setComponent(e,t){switch(e){case 0:this.x=t;break;case 1:this.y=t;break;case 2:this.z=t;break;case 3:this.w=t;break;default:throw new Error("index is out of range: "+e)}return this}getComponent(e){switch(e){case 0:return this.x;case 1:return this.y;case 2:return this.z;case 3:return this.w;default:throw new Error("index is out of range: "+e)}}clone(){return new this.constructor(this.x,this.y,this.z,this.w)}copy(e){return this.x=e.x,this.y=e.y,this.z=e.z,this.w=e.w!==void 0?e.w:1,this}add(e){return this.x+=e.x,this.y+=e.y,this.z+=e.z,this.w+=e.w,this}addScalar(e){return this.x+=e,this.y+=e,this.z+=e,this.w+=e,this}addVectors(e,t){return this.x=e.x+t.x,this.y=e.y+t.y,this.z=e.z+t.z,this.w=e.w+t.w,this}addScaledVector(e,t){return this.x+=e.x*t,this.y+=e.y*t,this.z+=e.z*t,this.w+=e.w*t,this}sub(e){return this.x-=e.x,this.y-=e.y,this.z-=e.z,this.w-=e.w,this}subScalar(e){return this.x-=e,this.y-=e,this.z-=e,this.w-=e,this}subVectors(e,t){return this.x=e.x-t.x,this.y=e.y-t.y,this.z=e.z-t.z,this.w=e.w-t.w,this}multiply(e){return this.x*=e.x,this.y*=e.y,this.z*=e.z,this.w*=e.w,this}multiplyScalar(e){return this.x*=e,this.y*=e,this.z*=e,this.w*=e,this}applyMatrix4(e){const t=this.x,n=this.y,s=this.z,r=this.w,o=e.elements;return this.x=o[0]*t+o[4]*n+o[8]*s+o[12]*r,this.y=o[1]*t+o[5]*n+o[9]*s+o[13]*r,this.z=o[2]*t+o[6]*n+o[10]*s+o[14]*r,this.w=o[3]*t+o[7]*n+o[11]*s+o[15]*r,this}divideScalar(e){return this.multiplyScalar(1/e)}setAxisAngleFromQuaternion(e){this.w=2*Math.acos(e.w);const t=Math.sqrt(1-e.w*e.w);return t<1e-4?(this.x=1,this.y=0,this.z=0):(this.x=e.x/t,this.y=e.y/t,this.z=e.z/t),this}setAxisAngleFromRotationMatrix(e){let t,n,s,r;const l=e.elements,c=l[0],u=l[4],h=l[8],f=l[1],m=l[5],_=l[9],v=l[2],d=l[6],p=l[10];if(Math.abs(u-f)<.01&&Math.abs(h-v)<.01&&Math.abs(_-d)<.01){if(Math.abs(u+f)<.1&&Math.abs(h+v)<.1&&Math.abs(_+d)<.1&&Math.abs(c+m+p-3)<.1)return this.set(1,0,0,0),this;t=Math.PI;const S=(c+1)/2,w=(m+1)/2,H=(p+1)/2,T=(u+f)/4,R=(h+v)/4,z=(_+d)/4;return S>w&&S>H?S<.01?(n=0,s=.707106781,r=.707106781):(n=Math.sqrt(S),s=T/n,r=R/n):w>H?w<.01?(n=.707106781,s=0,r=.707106781):(s=Math.sqrt(w),n=T/s,r=z/s):H<.01?(n=.707106781,s=.707106781,r=0):(r=Math.sqrt(H),n=R/r,s=z/r),this.set(n,s,r,t),this}let y=Math.sqrt((d-_)*(d-_)+(h-v)*(h-v)+(f-u)*(f-u));return Math.abs(y)<.001&&(y=1),this.x=(d-_)/y,this.y=(h-v)/y,this.z=(f-u)/y,this.w=Math.acos((c+m+p-1)/2),this}min(e){return this.x=Math.min(this.x,e.x),this.y=Math.min(this.y,e.y),this.z=Math.min(this.z,e.z),this.w=Math.min(this.w,e.w),this}max(e){return this.x=Math.max(this.x,e.x),this.y=Math.max(this.y,e.y),this.z=Math.max(this.z,e.z),this.w=Math.max(this.w,e.w),this}clamp(e,t){return this.x=Math.max(e.x,Math.min(t.x,this.x)),this.y=Math.max(e.y,Math.min(t.y,this.y)),this.z=Math.max(e.z,Math.min(t.z,this.z)),this.w=Math.max(e.w,Math.min(t.w,this.w)),this}clampScalar(e,t){return this.x=Math.max(e,Math.min(t,this.x)),this.y=Math.max(e,Math.min(t,this.y)),this.z=Math.max(e,Math.min(t,this.z)),this.w=Math.max(e,Math.min(t,this.w)),this}clampLength(e,t){const n=this.length();return this.divideScalar(n||1).multiplyScalar(Math.max(e,Math.min(t,n)))}floor(){return this.x=Math.floor(this.x),this.y=Math.floor(this.y),this.z=Math.floor(this.z),this.w=Math.floor(this.w),this}ceil(){return this.x=Math.ceil(this.x),this.y=Math.ceil(this.y),this.z=Math.ceil(this.z),this.w=Math.ceil(this.w),this}round(){return this.x=Math.round(this.x),this.y=Math.round(this.y),this.z=Math.round(this.z),this.w=Math.round(this.w),this}roundToZero(){return this.x=Math.trunc(this.x),this.y=Math.trunc(this.y),this.z=Math.trunc(this.z),this.w=Math.trunc(this.w),this}negate(){return this.x=-this.x,this.y=-this.y,this.z=-this.z,this.w=-this.w,this}dot(e){return this.x*e.x+this.y*e.y+this.z*e.z+this.w*e.w}lengthSq(){return this.x*this.x+this.y*this.y+this.z*this.z+this.w*this.w}length(){return Math.sqrt(this.x*this.x+this.y*this.y+this.z*this.z+this.w*this.w)}manhattanLength(){return Math.abs(this.x)+Math.abs(this.y)+Math.abs(this.z)+Math.abs(this.w)}normalize(){return this.divideScalar(this.length()||1)}setLength(e){return this.normalize().multiplyScalar(e)}lerp(e,t){return this.x+=(e.x-this.x)*t,this.y+=(e.y-this.y)*t,this.z+=(e.z-this.z)*t,this.w+=(e.w-this.w)*t,this}lerpVectors(e,t,n){return this.x=e.x+(t.x-e.x)*n,this.y=e.y+(t.y-e.y)*n,this.z=e.z+(t.z-e.z)*n,this.w=e.w+(t.w-e.w)*n,this}equals(e){return e.x===this.x&&e.y===this.y&&e.z===this.z&&e.w===this.w}fromArray(e,t=0){return this.x=e[t],this.y=e[t+1],this.z=e[t+2],this.w=e[t+3],this}toArray(e=[],t=0){return e[t]=this.x,e[t+1]=this.y,e[t+2]=this.z,e[t+3]=this.w,e}fromBufferAttribute(e,t){return this.x=e.getX(t),this.y=e.getY(t),this.z=e.getZ(t),this.w=e.getW(t),this}random(){return this.x=Math.random(),this.y=Math.random(),this.z=Math.random(),this.w=Math.random(),this}*[Symbol.iterator](){yield this.x,yield this.y,yield this.z,yield this.w}}class Ym extends Rs{constructor(e=1,t=1,n={}){super(),this.isRenderTarget=!0,this.width=e,this.height=t,this.depth=1,this.scissor=new un(0,0,e,t),this.scissorTest=!1,this.viewport=new un(0,0,e,t);const s={width:e,height:t,depth:1};n=Object.assign({generateMipmaps:!1,internalFormat:null,minFilter:oi,depthBuffer:!0,stencilBuffer:!1,resolveDepthBuffer:!0,resolveStencilBuffer:!0,depthTexture:null,samples:0,count:1},n);const r=new An(s,n.mapping,n.wrapS,n.wrapT,n.magFilter,n.minFilter,n.format,n.type,n.anisotropy,n.colorSpace);r.flipY=!1,r.generateMipmaps=n.generateMipmaps,r.internalFormat=n.internalFormat,this.textures=[];const o=n.count;for(let a=0;a<o;a++)this.textures[a]=r.clone(),this.textures[a].isRenderTargetTexture=!0;this.depthBuffer=n.depthBuffer,this.stencilBuffer=n.stencilBuffer,this.resolveDepthBuffer=n.resolveDepthBuffer,this.resolveStencilBuffer=n.resolveStencilBuffer,this.depthTexture=n.depthTexture,this.samples=n.samples}get texture(){return this.textures[0]}set texture(e){this.textures[0]=e}setSize(e,t,n=1){if(this.width!==e||this.height!==t||this.depth!==n){this.width=e,this.height=t,this.depth=n;for(let s=0,r=this.textures.length;s<r;s++)this.textures[s].image.width=e,this.textures[s].image.height=t,this.textures[s].image.depth=n;this.dispose()}this.viewport.set(0,0,e,t),this.scissor.set(0,0,e,t)}clone(){return new this.constructor().copy(this)}copy(e){this.width=e.width,this.height=e.height,this.depth=e.depth,this.scissor.copy(e.scissor),this.scissorTest=e.scissorTest,this.viewport.copy(e.viewport),this.textures.length=0;for(let n=0,s=e.textures.length;n<s;n++)this.textures[n]=e.textures[n].clone(),this.textures[n].isRenderTargetTexture=!0;const t=Object.assign({},e.texture.image);return this.texture.source=new Vf(t),this.depthBuffer=e.depthBuffer,this.stencilBuffer=e.stencilBuffer,this.resolveDepthBuffer=e.resolveDepthBuffer,this.resolveStencilBuffer=e.resolveStencilBuffer,e.depthTexture!==null&&(this.depthTexture=e.depthTexture.clone()),this.samples=e.samples,this}dispose(){this.dispatchEvent({type:"dispose"})}}class ws extends Ym{constructor(e=1,t=1,n={}){super(e,t,n),this.isWebGLRenderTarget=!0}}class Gf extends An{constructor(e=null,t=1,n=1,s=1){super(null),this.isDataArrayTexture=!0,this.image={data:e,width:t,height:n,depth:s},this.magFilter=qn,this.minFilter=qn,this.wrapR=Ss,this.generateMipmaps=!1,this.flipY=!1,this.unpackAlignment=1}}class qm extends An{constructor(e=null,t=1,n=1,s=1){super(null),this.isData3DTexture=!0,this.image={data:e,width:t,height:n,depth:s},this.magFilter=qn,this.minFilter=qn,this.wrapR=Ss,this.generateMipmaps=!1,this.flipY=!1,this.unpackAlignment=1}}class Ts{constructor(e=0,t=0,n=0,s=1){this.isQuaternion=!0,this._x=e,this._y=t,this._z=n,this._w=s}static slerpFlat(e,t,n,s,r,o,a){let l=n[s+0],c=n[s+1],u=n[s+2],h=n[s+3];const f=r[o+0],m=r[o+1],_=r[o+2],v=r[o+3];if(a===0){e[t+0]=l,e[t+1]=c,e[t+2]=u,e[t+3]=h;return}if(a===1){e[t+0]=f,e[t+1]=m,e[t+2]=_,e[t+3]=v;return}if(h!==v||l!==f||c!==m||u!==_){let d=1-a;const p=l*f+c*m+u*_+h*v,y=p>=0?1:-1,S=1-p*p;if(S>Number.EPSILON){const H=Math.sqrt(S),T=Math.atan2(H,p*y);d=Math.sin(d*T)/H,a=Math.sin(a*T)/H}const w=a*y;if(l=l*d+f*w,c=c*d+m*w,u=u*d+_*w,h=h*d+v*w,d===1-a){const H=1/Math.sqrt(l*l+c*c+u*u+h*h);l*=H,c*=H,u*=H,h*=H}}e[t]=l,e[t+1]=c,e[t+2]=u,e[t+3]=h}static multiplyQuaternionsFlat(e,t,n,s,r,o){const a=n[s],l=n[s+1],c=n[s+2],u=n[s+3],h=r[o],f=r[o+1],m=r[o+2],_=r[o+3];return e[t]=a*_+u*h+l*m-c*f,e[t+1]=l*_+u*f+c*h-a*m,e[t+2]=c*_+u*m+a*f-l*h,e[t+3]=u*_-a*h-l*f-c*m,e}get x(){return this._x}set x(e){this._x=e,this._onChangeCallback()}get y(){return this._y}set y(e){this._y=e,this._onChangeCallback()}get z(){return this._z}set z(e){this._z=e,this._onChangeCallback()}get w(){return this._w}set w(e){this._w=e,this._onChangeCallback()}set(e,t,n,s){return this._x=e,this._y=t,this._z=n,this._w=s,this._onChangeCallback(),this}clone(){return new this.constructor(this._x,this._y,this._z,this._w)}copy(e){return this._x=e.x,this._y=e.y,this._z=e.z,this._w=e.w,this._onChangeCallback(),this}setFromEuler(e,t=!0){const n=e._x,s=e._y,r=e._z,o=e._order,a=Math.cos,l=Math.sin,c=a(n/2),u=a(s/2),h=a(r/2),f=l(n/2),m=l(s/2),_=l(r/2);switch(o){case"XYZ":this._x=f*u*h+c*m*_,this._y=c*m*h-f*u*_,this._z=c*u*_+f*m*h,this._w=c*u*h-f*m*_;break;case"YXZ":this._x=f*u*h+c*m*_,this._y=c*m*h-f*u*_,this._z=c*u*_-f*m*h,this._w=c*u*h+f*m*_;break;case"ZXY":this._x=f*u*h-c*m*_,this._y=c*m*h+f*u*_,this._z=c*u*_+f*m*h,this._w=c*u*h-f*m*_;break;case"ZYX":this._x=f*u*h-c*m*_,this._y=c*m*h+f*u*_,this._z=c*u*_-f*m*h,this._w=c*u*h+f*m*_;break;case"YZX":this._x=f*u*h+c*m*_,this._y=c*m*h+f*u*_,this._z=c*u*_-f*m*h,this._w=c*u*h-f*m*_;break;case"XZY":this._x=f*u*h-c*m*_,this._y=c*m*h-f*u*_,this._z=c*u*_+f*m*h,this._w=c*u*h+f*m*_;break;default:console.warn("THREE.Quaternion: .setFromEuler() encountered an unknown order: "+o)}return t===!0&&this._onChangeCallback(),this}setFromAxisAngle(e,t){const n=t/2,s=Math.sin(n);return this._x=e.x*s,this._y=e.y*s,this._z=e.z*s,this._w=Math.cos(n),this._onChangeCallback(),this}setFromRotationMatrix(e){const t=e.elements,n=t[0],s=t[4],r=t[8],o=t[1],a=t[5],l=t[9],c=t[2],u=t[6],h=t[10],f=n+a+h;if(f>0){const m=.5/Math.sqrt(f+1);this._w=.25/m,this._x=(u-l)*m,this._y=(r-c)*m,this._z=(o-s)*m}else if(n>a&&n>h){const m=2*Math.sqrt(1+n-a-h);this._w=(u-l)/m,this._x=.25*m,this._y=(s+o)/m,this._z=(r+c)/m}else if(a>h){const m=2*Math.sqrt(1+a-n-h);this._w=(r-c)/m,this._x=(s+o)/m,this._y=.25*m,this._z=(l+u)/m}else{const m=2*Math.sqrt(1+h-n-a);this._w=(o-s)/m,this._x=(r+c)/m,this._y=(l+u)/m,this._z=.25*m}return this._onChangeCallback(),this}setFromUnitVectors(e,t){let n=e.dot(t)+1;return n<Number.EPSILON?(n=0,Math.abs(e.x)>Math.abs(e.z)?(this._x=-e.y,this._y=e.x,this._z=0,this._w=n):(this._x=0,this._y=-e.z,this._z=e.y,this._w=n)):(this._x=e.y*t.z-e.z*t.y,this._y=e.z*t.x-e.x*t.z,this._z=e.x*t.y-e.y*t.x,this._w=n),this.normalize()}angleTo(e){return 2*Math.acos(Math.abs(ln(this.dot(e),-1,1)))}rotateTowards(e,t){const n=this.angleTo(e);if(n===0)return this;const s=Math.min(1,t/n);return this.slerp(e,s),this}identity(){return this.set(0,0,0,1)}invert(){return this.conjugate()}conjugate(){return this._x*=-1,this._y*=-1,this._z*=-1,this._onChangeCallback(),this}dot(e){return this._x*e._x+this._y*e._y+this._z*e._z+this._w*e._w}lengthSq(){return this._x*this._x+this._y*this._y+this._z*this._z+this._w*this._w}length(){return Math.sqrt(this._x*this._x+this._y*this._y+this._z*this._z+this._w*this._w)}normalize(){let e=this.length();return e===0?(this._x=0,this._y=0,this._z=0,this._w=1):(e=1/e,this._x=this._x*e,this._y=this._y*e,this._z=this._z*e,this._w=this._w*e),this._onChangeCallback(),this}multiply(e){return this.multiplyQuaternions(this,e)}premultiply(e){return this.multiplyQuaternions(e,this)}multiplyQuaternions(e,t){const n=e._x,s=e._y,r=e._z,o=e._w,a=t._x,l=t._y,c=t._z,u=t._w;return this._x=n*u+o*a+s*c-r*l,this._y=s*u+o*l+r*a-n*c,this._z=r*u+o*c+n*l-s*a,this._w=o*u-n*a-s*l-r*c,this._onChangeCallback(),this}slerp(e,t){if(t===0)return this;if(t===1)return this.copy(e);const n=this._x,s=this._y,r=this._z,o=this._w;let a=o*e._w+n*e._x+s*e._y+r*e._z;if(a<0?(this._w=-e._w,this._x=-e._x,this._y=-e._y,this._z=-e._z,a=-a):this.copy(e),a>=1)return this._w=o,this._x=n,this._y=s,this._z=r,this;const l=1-a*a;if(l<=Number.EPSILON){const m=1-t;return this._w=m*o+t*this._w,this._x=m*n+t*this._x,this._y=m*s+t*this._y,this._z=m*r+t*this._z,this.normalize(),this}const c=Math.sqrt(l),u=Math.atan2(c,a),h=Math.sin((1-t)*u)/c,f=Math.sin(t*u)/c;return this._w=o*h+this._w*f,this._x=n*h+this._x*f,this._y=s*h+this._y*f,this._z=r*h+this._z*f,this._onChangeCallback(),this}slerpQuaternions(e,t,n){return this.copy(e).slerp(t,n)}random(){const e=2*Math.PI*Math.random(),t=2*Math.PI*Math.random(),n=Math.random(),s=Math.sqrt(1-n),r=Math.sqrt(n);return this.set(s*Math.sin(e),s*Math.cos(e),r*Math.sin(t),r*Math.cos(t))}equals(e){return e._x===this._x&&e._y===this._y&&e._z===this._z&&e._w===this._w}fromArray(e,t=0){return this._x=e[t],this._y=e[t+1],this._z=e[t+2],this._w=e[t+3],this._onChangeCallback(),this}toArray(e=[],t=0){return e[t]=this._x,e[t+1]=this._y,e[t+2]=this._z,e[t+3]=this._w,e}fromBufferAttribute(e,t){return this._x=e.getX(t),this._y=e.getY(t),this._z=e.getZ(t),this._w=e.getW(t),this._onChangeCallback(),this}toJSON(){return this.toArray()}_onChange(e){return this._onChangeCallback=e,this}_onChangeCallback(){}*[Symbol.iterator](){yield this._x,yield this._y,yield this._z,yield this._w}}class ${constructor(e=0,t=0,n=0){$.prototype.isVector3=!0,this.x=e,this.y=t,this.z=n}set(e,t,n){return n===void 0&&(n=this.z),this.x=e,this.y=t,this.z=n,this}setScalar(e){return this.x=e,this.y=e,this.z=e,this}setX(e){return this.x=e,this}setY(e){return this.y=e,this}setZ(e){return this.z=e,this}setComponent(e,t){switch(e){case 0:this.x=t;break;case 1:this.y=t;break;case 2:this.z=t;break;default:throw new Error("index is out of range: "+e)}return this}getComponent(e){switch(e){case 0:return this.x;case 1:return this.y;case 2:return this.z;default:throw new Error("index is out of range: "+e)}}clone(){return new this.constructor(this.x,this.y,this.z)}copy(e){return this.x=e.x,this.y=e.y,this.z=e.z,this}add(e){return this.x+=e.x,this.y+=e.y,this.z+=e.z,this}addScalar(e){return this.x+=e,this.y+=e,this.z+=e,this}addVectors(e,t){return this.x=e.x+t.x,this.y=e.y+t.y,this.z=e.z+t.z,this}addScaledVector(e,t){return this.x+=e.x*t,this.y+=e.y*t,this.z+=e.z*t,this}sub(e){return this.x-=e.x,this.y-=e.y,this.z-=e.z,this}subScalar(e){return this.x-=e,this.y-=e,this.z-=e,this}subVectors(e,t){return this.x=e.x-t.x,this.y=e.y-t.y,this.z=e.z-t.z,this}multiply(e){return this.x*=e.x,this.y*=e.y,this.z*=e.z,this}multiplyScalar(e){return this.x*=e,this.y*=e,this.z*=e,this}multiplyVectors(e,t){return this.x=e.x*t.x,this.y=e.y*t.y,this.z=e.z*t.z,this}applyEuler(e){return this.applyQuaternion(Au.setFromEuler(e))}applyAxisAngle(e,t){return this.applyQuaternion(Au.setFromAxisAngle(e,t))}applyMatrix3(e){const t=this.x,n=this.y,s=this.z,r=e.elements;return this.x=r[0]*t+r[3]*n+r[6]*s,this.y=r[1]*t+r[4]*n+r[7]*s,this.z=r[2]*t+r[5]*n+r[8]*s,this}applyNormalMatrix(e){return this.applyMatrix3(e).normalize()}applyMatrix4(e){const t=this.x,n=this.y,s=this.z,r=e.elements,o=1/(r[3]*t+r[7]*n+r[11]*s+r[15]);return this.x=(r[0]*t+r[4]*n+r[8]*s+r[12])*o,this.y=(r[1]*t+r[5]*n+r[9]*s+r[13])*o,this.z=(r[2]*t+r[6]*n+r[10]*s+r[14])*o,this}applyQuaternion(e){const t=this.x,n=this.y,s=this.z,r=e.x,o=e.y,a=e.z,l=e.w,c=2*(o*s-a*n),u=2*(a*t-r*s),h=2*(r*n-o*t);return this.x=t+l*c+o*h-a*u,this.y=n+l*u+a*c-r*h,this.z=s+l*h+r*u-o*c,this}project(e){return this.applyMatrix4(e.matrixWorldInverse).applyMatrix4(e.projectionMatrix)}unproject(e){return this.applyMatrix4(e.projectionMatrixInverse).applyMatrix4(e.matrixWorld)}transformDirection(e){const t=this.x,n=this.y,s=this.z,r=e.elements;return this.x=r[0]*t+r[4]*n+r[8]*s,this.y=r[1]*t+r[5]*n+r[9]*s,this.z=r[2]*t+r[6]*n+r[10]*s,this.normalize()}divide(e){return this.x/=e.x,this.y/=e.y,this.z/=e.z,this}divideScalar(e){return this.multiplyScalar(1/e)}min(e){return this.x=Math.min(this.x,e.x),this.y=Math.min(this.y,e.y),this.z=Math.min(this.z,e.z),this}max(e){return this.x=Math.max(this.x,e.x),this.y=Math.max(this.y,e.y),this.z=Math.max(this.z,e.z),this}clamp(e,t){return this.x=Math.max(e.x,Math.min(t.x,this.x)),this.y=Math.max(e.y,Math.min(t.y,this.y)),this.z=Math.max(e.z,Math.min(t.z,this.z)),this}clampScalar(e,t){return this.x=Math.max(e,Math.min(t,this.x)),this.y=Math.max(e,Math.min(t,this.y)),this.z=Math.max(e,Math.min(t,this.z)),this}clampLength(e,t){const n=this.length();return this.divideScalar(n||1).multiplyScalar(Math.max(e,Math.min(t,n)))}floor(){return this.x=Math.floor(this.x),this.y=Math.floor(this.y),this.z=Math.floor(this.z),this}ceil(){return this.x=Math.ceil(this.x),this.y=Math.ceil(this.y),this.z=Math.ceil(this.z),this}round(){return this.x=Math.round(this.x),this.y=Math.round(this.y),this.z=Math.round(this.z),this}roundToZero(){return this.x=Math.trunc(this.x),this.y=Math.trunc(this.y),this.z=Math.trunc(this.z),this}negate(){return this.x=-this.x,this.y=-this.y,this.z=-this.z,this}dot(e){return this.x*e.x+this.y*e.y+this.z*e.z}lengthSq(){return this.x*this.x+this.y*this.y+this.z*this.z}length(){return Math.sqrt(this.x*this.x+this.y*this.y+this.z*this.z)}manhattanLength(){return Math.abs(this.x)+Math.abs(this.y)+Math.abs(this.z)}normalize(){return this.divideScalar(this.length()||1)}setLength(e){return this.normalize().multiplyScalar(e)}lerp(e,t){return this.x+=(e.x-this.x)*t,this.y+=(e.y-this.y)*t,this.z+=(e.z-this.z)*t,this}lerpVectors(e,t,n){return this.x=e.x+(t.x-e.x)*n,this.y=e.y+(t.y-e.y)*n,this.z=e.z+(t.z-e.z)*n,this}cross(e){return this.crossVectors(this,e)}crossVectors(e,t){const n=e.x,s=e.y,r=e.z,o=t.x,a=t.y,l=t.z;return this.x=s*l-r*a,this.y=r*o-n*l,this.z=n*a-s*o,this}projectOnVector(e){const t=e.lengthSq();if(t===0)return this.set(0,0,0);const n=e.dot(this)/t;return this.copy(e).multiplyScalar(n)}projectOnPlane(e){return $a.copy(this).projectOnVector(e),this.sub($a)}reflect(e){return this.sub($a.copy(e).multiplyScalar(2*this.dot(e)))}angleTo(e){const t=Math.sqrt(this.lengthSq()*e.lengthSq());if(t===0)return Math.PI/2;const n=this.dot(e)/t;return Math.acos(ln(n,-1,1))}distanceTo(e){return Math.sqrt(this.distanceToSquared(e))}distanceToSquared(e){const t=this.x-e.x,n=this.y-e.y,s=this.z-e.z;return t*t+n*n+s*s}manhattanDistanceTo(e){return Math.abs(this.x-e.x)+Math.abs(this.y-e.y)+Math.abs(this.z-e.z)}setFromSpherical(e){return this.setFromSphericalCoords(e.radius,e.phi,e.theta)}setFromSphericalCoords(e,t,n){const s=Math.sin(t)*e;return this.x=s*Math.sin(n),this.y=Math.cos(t)*e,this.z=s*Math.cos(n),this}setFromCylindrical(e){return this.setFromCylindricalCoords(e.radius,e.theta,e.y)}setFromCylindricalCoords(e,t,n){return this.x=e*Math.sin(t),this.y=n,this.z=e*Math.cos(t),this}setFromMatrixPosition(e){const t=e.elements;return this.x=t[12],this.y=t[13],this.z=t[14],this}setFromMatrixScale(e){const t=this.setFromMatrixColumn(e,0).length(),n=this.setFromMatrixColumn(e,1).length(),s=this.setFromMatrixColumn(e,2).length();return this.x=t,this.y=n,this.z=s,this}setFromMatrixColumn(e,t){return this.fromArray(e.elements,t*4)}setFromMatrix3Column(e,t){return this.fromArray(e.elements,t*3)}setFromEuler(e){return this.x=e._x,this.y=e._y,this.z=e._z,this}setFromColor(e){return this.x=e.r,this.y=e.g,this.z=e.b,this}equals(e){return e.x===this.x&&e.y===this.y&&e.z===this.z}fromArray(e,t=0){return this.x=e[t],this.y=e[t+1],this.z=e[t+2],this}toArray(e=[],t=0){return e[t]=this.x,e[t+1]=this.y,e[t+2]=this.z,e}fromBufferAttribute(e,t){return this.x=e.getX(t),this.y=e.getY(t),this.z=e.getZ(t),this}random(){return this.x=Math.random(),this.y=Math.random(),this.z=Math.random(),this}randomDirection(){const e=Math.random()*Math.PI*2,t=Math.random()*2-1,n=Math.sqrt(1-t*t);return this.x=n*Math.cos(e),this.y=t,this.z=n*Math.sin(e),this}*[Symbol.iterator](){yield this.x,yield this.y,yield this.z}}const $a=new $,Au=new Ts;class io{constructor(e=new $(1/0,1/0,1/0),t=new $(-1/0,-1/0,-1/0)){this.isBox3=!0,this.min=e,this.max=t}set(e,t){return this.min.copy(e),this.max.copy(t),this}setFromArray(e){this.makeEmpty();for(let t=0,n=e.length;t<n;t+=3)this.expandByPoint(Qn.fromArray(e,t));return this}setFromBufferAttribute(e){this.makeEmpty();for(let t=0,n=e.count;t<n;t++)this.expandByPoint(Qn.fromBufferAttribute(e,t));return this}setFromPoints(e){this.makeEmpty();for(let t=0,n=e.length;t<n;t++)this.expandByPoint(e[t]);return this}setFromCenterAndSize(e,t){const n=Qn.copy(t).multiplyScalar(.5);return this.min.copy(e).sub(n),this.max.copy(e).add(n),this}setFromObject(e,t=!1){return this.makeEmpty(),this.expandByObject(e,t)}clone(){return new this.constructor().copy(this)}copy(e){return this.min.copy(e.min),this.max.copy(e.max),this}makeEmpty(){return this.min.x=this.min.y=this.min.z=1/0,this.max.x=this.max.y=this.max.z=-1/0,this}isEmpty(){return this.max.x<this.min.x||this.max.y<this.min.y||this.max.z<this.min.z}getCenter(e){return this.isEmpty()?e.set(0,0,0):e.addVectors(this.min,this.max).multiplyScalar(.5)}getSize(e){return this.isEmpty()?e.set(0,0,0):e.subVectors(this.max,this.min)}expandByPoint(e){return this.min.min(e),this.max.max(e),this}expandByVector(e){return this.min.sub(e),this.max.add(e),this}expandByScalar(e){return this.min.addScalar(-e),this.max.addScalar(e),this}expandByObject(e,t=!1){e.updateWorldMatrix(!1,!1);const n=e.geometry;if(n!==void 0){const r=n.getAttribute("position");if(t===!0&&r!==void 0&&e.isInstancedMesh!==!0)for(let o=0,a=r.count;o<a;o++)e.isMesh===!0?e.getVertexPosition(o,Qn):Qn.fromBufferAttribute(r,o),Qn.applyMatrix4(e.matrixWorld),this.expandByPoint(Qn);else e.boundingBox!==void 0?(e.boundingBox===null&&e.computeBoundingBox(),mo.copy(e.boundingBox)):(n.boundingBox===null&&n.computeBoundingBox(),mo.copy(n.boundingBox)),mo.applyMatrix4(e.matrixWorld),this.union(mo)}const s=e.children;for(let r=0,o=s.length;r<o;r++)this.expandByObject(s[r],t);return this}containsPoint(e){return!(e.x<this.min.x||e.x>this.max.x||e.y<this.min.y||e.y>this.max.y||e.z<this.min.z||e.z>this.max.z)}containsBox(e){return this.min.x<=e.min.x&&e.max.x<=this.max.x&&this.min.y<=e.min.y&&e.max.y<=this.max.y&&this.min.z<=e.min.z&&e.max.z<=this.max.z}getParameter(e,t){return t.set((e.x-this.min.x)/(this.max.x-this.min.x),(e.y-this.min.y)/(this.max.y-this.min.y),(e.z-this.min.z)/(this.max.z-this.min.z))}intersectsBox(e){return!(e.max.x<this.min.x||e.min.x>this.max.x||e.max.y<this.min.y||e.min.y>this.max.y||e.max.z<this.min.z||e.min.z>this.max.z)}intersectsSphere(e){return this.clampPoint(e.center,Qn),Qn.distanceToSquared(e.center)<=e.radius*e.radius}intersectsPlane(e){let t,n;return e.normal.x>0?(t=e.normal.x*this.min.x,n=e.normal.x*this.max.x):(t=e.normal.x*this.max.x,n=e.normal.x*this.min.x),e.normal.y>0?(t+=e.normal.y*this.min.y,n+=e.normal.y*this.max.y):(t+=e.normal.y*this.max.y,n+=e.normal.y*this.min.y),e.normal.z>0?(t+=e.normal.z*this.min.z,n+=e.normal.z*this.max.z):(t+=e.normal.z*this.max.z,n+=e.normal.z*this.min.z),t<=-e.constant&&n>=-e.constant}intersectsTriangle(e){if(this.isEmpty())return!1;this.getCenter(Or),go.subVectors(this.max,Or),$s.subVectors(e.a,Or),Ys.subVectors(e.b,Or),qs.subVectors(e.c,Or),Gi.subVectors(Ys,$s),Wi.subVectors(qs,Ys),as.subVectors($s,qs);let t=[0,-Gi.z,Gi.y,0,-Wi.z,Wi.y,0,-as.z,as.y,Gi.z,0,-Gi.x,Wi.z,0,-Wi.x,as.z,0,-as.x,-Gi.y,Gi.x,0,-Wi.y,Wi.x,0,-as.y,as.x,0];return!Ya(t,$s,Ys,qs,go)||(t=[1,0,0,0,1,0,0,0,1],!Ya(t,$s,Ys,qs,go))?!1:(_o.crossVectors(Gi,Wi),t=[_o.x,_o.y,_o.z],Ya(t,$s,Ys,qs,go))}clampPoint(e,t){return t.copy(e).clamp(this.min,this.max)}distanceToPoint(e){return this.clampPoint(e,Qn).distanceTo(e)}getBoundingSphere(e){return this.isEmpty()?e.makeEmpty():(this.getCenter(e.center),e.radius=this.getSize(Qn).length()*.5),e}intersect(e){return this.min.max(e.min),this.max.min(e.max),this.isEmpty()&&this.makeEmpty(),this}union(e){return this.min.min(e.min),this.max.max(e.max),this}applyMatrix4(e){return this.isEmpty()?this:(bi[0].set(this.min.x,this.min.y,this.min.z).applyMatrix4(e),bi[1].set(this.min.x,this.min.y,this.max.z).applyMatrix4(e),bi[2].set(this.min.x,this.max.y,this.min.z).applyMatrix4(e),bi[3].set(this.min.x,this.max.y,this.max.z).applyMatrix4(e),bi[4].set(this.max.x,this.min.y,this.min.z).applyMatrix4(e),bi[5].set(this.max.x,this.min.y,this.max.z).applyMatrix4(e),bi[6].set(this.max.x,this.max.y,this.min.z).applyMatrix4(e),bi[7].set(this.max.x,this.max.y,this.max.z).applyMatrix4(e),this.setFromPoints(bi),this)}translate(e){return this.min.add(e),this.max.add(e),this}equals(e){return e.min.equals(this.min)&&e.max.equals(this.max)}}const bi=[new $,new $,new $,new $,new $,new $,new $,new $],Qn=new $,mo=new io,$s=new $,Ys=new $,qs=new $,Gi=new $,Wi=new $,as=new $,Or=new $,go=new $,_o=new $,ls=new $;function Ya(i,e,t,n,s){for(let r=0,o=i.length-3;r<=o;r+=3){ls.fromArray(i,r);const a=s.x*Math.abs(ls.x)+s.y*Math.abs(ls.y)+s.z*Math.abs(ls.z),l=e.dot(ls),c=t.dot(ls),u=n.dot(ls);if(Math.max(-Math.max(l,c,u),Math.min(l,c,u))>a)return!1}return!0}const Km=new io,Fr=new $,qa=new $;class Ql{constructor(e=new $,t=-1){this.isSphere=!0,this.center=e,this.radius=t}set(e,t){return this.center.copy(e),this.radius=t,this}setFromPoints(e,t){const n=this.center;t!==void 0?n.copy(t):Km.setFromPoints(e).getCenter(n);let s=0;for(let r=0,o=e.length;r<o;r++)s=Math.max(s,n.distanceToSquared(e[r]));return this.radius=Math.sqrt(s),this}copy(e){return this.center.copy(e.center),this.radius=e.radius,this}isEmpty(){return this.radius<0}makeEmpty(){return this.center.set(0,0,0),this.radius=-1,this}containsPoint(e){return e.distanceToSquared(this.center)<=this.radius*this.radius}distanceToPoint(e){return e.distanceTo(this.center)-this.radius}intersectsSphere(e){const t=this.radius+e.radius;return e.center.distanceToSquared(this.center)<=t*t}intersectsBox(e){return e.intersectsSphere(this)}intersectsPlane(e){return Math.abs(e.distanceToPoint(this.center))<=this.radius}clampPoint(e,t){const n=this.center.distanceToSquared(e);return t.copy(e),n>this.radius*this.radius&&(t.sub(this.center).normalize(),t.multiplyScalar(this.radius).add(this.center)),t}getBoundingBox(e){return this.isEmpty()?(e.makeEmpty(),e):(e.set(this.center,this.center),e.expandByScalar(this.radius),e)}applyMatrix4(e){return this.center.applyMatrix4(e),this.radius=this.radius*e.getMaxScaleOnAxis(),this}translate(e){return this.center.add(e),this}expandByPoint(e){if(this.isEmpty())return this.center.copy(e),this.radius=0,this;Fr.subVectors(e,this.center);const t=Fr.lengthSq();if(t>this.radius*this.radius){const n=Math.sqrt(t),s=(n-this.radius)*.5;this.center.addScaledVector(Fr,s/n),this.radius+=s}return this}union(e){return e.isEmpty()?this:this.isEmpty()?(this.copy(e),this):(this.center.equals(e.center)===!0?this.radius=Math.max(this.radius,e.radius):(qa.subVectors(e.center,this.center).setLength(e.radius),this.expandByPoint(Fr.copy(e.center).add(qa)),this.expandByPoint(Fr.copy(e.center).sub(qa))),this)}equals(e){return e.center.equals(this.center)&&e.radius===this.radius}clone(){return new this.constructor().copy(this)}}const wi=new $,Ka=new $,vo=new $,Xi=new $,ja=new $,xo=new $,Za=new $;class ec{constructor(e=new $,t=new $(0,0,-1)){this.origin=e,this.direction=t}set(e,t){return this.origin.copy(e),this.direction.copy(t),this}copy(e){return this.origin.copy(e.origin),this.direction.copy(e.direction),this}at(e,t){return t.copy(this.origin).addScaledVector(this.direction,e)}lookAt(e){return this.direction.copy(e).sub(this.origin).normalize(),this}recast(e){return this.origin.copy(this.at(e,wi)),this}closestPointToPoint(e,t){t.subVectors(e,this.origin);const n=t.dot(this.direction);return n<0?t.copy(this.origin):t.copy(this.origin).addScaledVector(this.direction,n)}distanceToPoint(e){return Math.sqrt(this.distanceSqToPoint(e))}distanceSqToPoint(e){const t=wi.subVectors(e,this.origin).dot(this.direction);return t<0?this.origin.distanceToSquared(e):(wi.copy(this.origin).addScaledVector(this.direction,t),wi.distanceToSquared(e))}distanceSqToSegment(e,t,n,s){Ka.copy(e).add(t).multiplyScalar(.5),vo.copy(t).sub(e).normalize(),Xi.copy(this.origin).sub(Ka);const r=e.distanceTo(t)*.5,o=-this.direction.dot(vo),a=Xi.dot(this.direction),l=-Xi.dot(vo),c=Xi.lengthSq(),u=Math.abs(1-o*o);let h,f,m,_;if(u>0)if(h=o*l-a,f=o*a-l,_=r*u,h>=0)if(f>=-_)if(f<=_){const v=1/u;h*=v,f*=v,m=h*(h+o*f+2*a)+f*(o*h+f+2*l)+c}else f=r,h=Math.max(0,-(o*f+a)),m=-h*h+f*(f+2*l)+c;else f=-r,h=Math.max(0,-(o*f+a)),m=-h*h+f*(f+2*l)+c;else f<=-_?(h=Math.max(0,-(-o*r+a)),f=h>0?-r:Math.min(Math.max(-r,-l),r),m=-h*h+f*(f+2*l)+c):f<=_?(h=0,f=Math.min(Math.max(-r,-l),r),m=f*(f+2*l)+c):(h=Math.max(0,-(o*r+a)),f=h>0?r:Math.min(Math.max(-r,-l),r),m=-h*h+f*(f+2*l)+c);else f=o>0?-r:r,h=Math.max(0,-(o*f+a)),m=-h*h+f*(f+2*l)+c;return n&&n.copy(this.origin).addScaledVector(this.direction,h),s&&s.copy(Ka).addScaledVector(vo,f),m}intersectSphere(e,t){wi.subVectors(e.center,this.origin);const n=wi.dot(this.direction),s=wi.dot(wi)-n*n,r=e.radius*e.radius;if(s>r)return null;const o=Math.sqrt(r-s),a=n-o,l=n+o;return l<0?null:a<0?this.at(l,t):this.at(a,t)}intersectsSphere(e){return this.distanceSqToPoint(e.center)<=e.radius*e.radius}distanceToPlane(e){const t=e.normal.dot(this.direction);if(t===0)return e.distanceToPoint(this.origin)===0?0:null;const n=-(this.origin.dot(e.normal)+e.constant)/t;return n>=0?n:null}intersectPlane(e,t){const n=this.distanceToPlane(e);return n===null?null:this.at(n,t)}intersectsPlane(e){const t=e.distanceToPoint(this.origin);return t===0||e.normal.dot(this.direction)*t<0}intersectBox(e,t){let n,s,r,o,a,l;const c=1/this.direction.x,u=1/this.direction.y,h=1/this.direction.z,f=this.origin;return c>=0?(n=(e.min.x-f.x)*c,s=(e.max.x-f.x)*c):(n=(e.max.x-f.x)*c,s=(e.min.x-f.x)*c),u>=0?(r=(e.min.y-f.y)*u,o=(e.max.y-f.y)*u):(r=(e.max.y-f.y)*u,o=(e.min.y-f.y)*u),n>o||r>s||((r>n||isNaN(n))&&(n=r),(o<s||isNaN(s))&&(s=o),h>=0?(a=(e.min.z-f.z)*h,l=(e.max.z-f.z)*h):(a=(e.max.z-f.z)*h,l=(e.min.z-f.z)*h),n>l||a>s)||((a>n||n!==n)&&(n=a),(l<s||s!==s)&&(s=l),s<0)?null:this.at(n>=0?n:s,t)}intersectsBox(e){return this.intersectBox(e,wi)!==null}intersectTriangle(e,t,n,s,r){ja.subVectors(t,e),xo.subVectors(n,e),Za.crossVectors(ja,xo);let o=this.direction.dot(Za),a;if(o>0){if(s)return null;a=1}else if(o<0)a=-1,o=-o;else return null;Xi.subVectors(this.origin,e);const l=a*this.direction.dot(xo.crossVectors(Xi,xo));if(l<0)return null;const c=a*this.direction.dot(ja.cross(Xi));if(c<0||l+c>o)return null;const u=-a*Xi.dot(Za);return u<0?null:this.at(u/o,r)}applyMatrix4(e){return this.origin.applyMatrix4(e),this.direction.transformDirection(e),this}equals(e){return e.origin.equals(this.origin)&&e.direction.equals(this.direction)}clone(){return new this.constructor().copy(this)}}class Bt{constructor(e,t,n,s,r,o,a,l,c,u,h,f,m,_,v,d){Bt.prototype.isMatrix4=!0,this.elements=[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1],e!==void 0&&this.set(e,t,n,s,r,o,a,l,c,u,h,f,m,_,v,d)}set(e,t,n,s,r,o,a,l,c,u,h,f,m,_,v,d){const p=this.elements;return p[0]=e,p[4]=t,p[8]=n,p[12]=s,p[1]=r,p[5]=o,p[9]=a,p[13]=l,p[2]=c,p[6]=u,p[10]=h,p[14]=f,p[3]=m,p[7]=_,p[11]=v,p[15]=d,this}identity(){return this.set(1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1),this}clone(){return new Bt().fromArray(this.elements)}copy(e){const t=this.elements,n=e.elements;return t[0]=n[0],t[1]=n[1],t[2]=n[2],t[3]=n[3],t[4]=n[4],t[5]=n[5],t[6]=n[6],t[7]=n[7],t[8]=n[8],t[9]=n[9],t[10]=n[10],t[11]=n[11],t[12]=n[12],t[13]=n[13],t[14]=n[14],t[15]=n[15],this}copyPosition(e){const t=this.elements,n=e.elements;return t[12]=n[12],t[13]=n[13],t[14]=n[14],this}setFromMatrix3(e){const t=e.elements;return this.set(t[0],t[3],t[6],0,t[1],t[4],t[7],0,t[2],t[5],t[8],0,0,0,0,1),this}extractBasis(e,t,n){return e.setFromMatrixColumn(this,0),t.setFromMatrixColumn(this,1),n.setFromMatrixColumn(this,2),this}makeBasis(e,t,n){return this.set(e.x,t.x,n.x,0,e.y,t.y,n.y,0,e.z,t.z,n.z,0,0,0,0,1),this}extractRotation(e){const t=this.elements,n=e.elements,s=1/Ks.setFromMatrixColumn(e,0).length(),r=1/Ks.setFromMatrixColumn(e,1).length(),o=1/Ks.setFromMatrixColumn(e,2).length();return t[0]=n[0]*s,t[1]=n[1]*s,t[2]=n[2]*s,t[3]=0,t[4]=n[4]*r,t[5]=n[5]*r,t[6]=n[6]*r,t[7]=0,t[8]=n[8]*o,t[9]=n[9]*o,t[10]=n[10]*o,t[11]=0,t[12]=0,t[13]=0,t[14]=0,t[15]=1,this}makeRotationFromEuler(e){const t=this.elements,n=e.x,s=e.y,r=e.z,o=Math.cos(n),a=Math.sin(n),l=Math.cos(s),c=Math.sin(s),u=Math.cos(r),h=Math.sin(r);if(e.order==="XYZ"){const f=o*u,m=o*h,_=a*u,v=a*h;t[0]=l*u,t[4]=-l*h,t[8]=c,t[1]=m+_*c,t[5]=f-v*c,t[9]=-a*l,t[2]=v-f*c,t[6]=_+m*c,t[10]=o*l}else if(e.order==="YXZ"){const f=l*u,m=l*h,_=c*u,v=c*h;t[0]=f+v*a,t[4]=_*a-m,t[8]=o*c,t[1]=o*h,t[5]=o*u,t[9]=-a,t[2]=m*a-_,t[6]=v+f*a,t[10]=o*l}else if(e.order==="ZXY"){const f=l*u,m=l*h,_=c*u,v=c*h;t[0]=f-v*a,t[4]=-o*h,t[8]=_+m*a,t[1]=m+_*a,t[5]=o*u,t[9]=v-f*a,t[2]=-o*c,t[6]=a,t[10]=o*l}else if(e.order==="ZYX"){const f=o*u,m=o*h,_=a*u,v=a*h;t[0]=l*u,t[4]=_*c-m,t[8]=f*c+v,t[1]=l*h,t[5]=v*c+f,t[9]=m*c-_,t[2]=-c,t[6]=a*l,t[10]=o*l}else if(e.order==="YZX"){const f=o*l,m=o*c,_=a*l,v=a*c;t[0]=l*u,t[4]=v-f*h,t[8]=_*h+m,t[1]=h,t[5]=o*u,t[9]=-a*u,t[2]=-c*u,t[6]=m*h+_,t[10]=f-v*h}else if(e.order==="XZY"){const f=o*l,m=o*c,_=a*l,v=a*c;t[0]=l*u,t[4]=-h,t[8]=c*u,t[1]=f*h+v,t[5]=o*u,t[9]=m*h-_,t[2]=_*h-m,t[6]=a*u,t[10]=v*h+f}return t[3]=0,t[7]=0,t[11]=0,t[12]=0,t[13]=0,t[14]=0,t[15]=1,this}makeRotationFromQuaternion(e){return this.compose(jm,e,Zm)}lookAt(e,t,n){const s=this.elements;return Dn.subVectors(e,t),Dn.lengthSq()===0&&(Dn.z=1),Dn.normalize(),$i.crossVectors(n,Dn),$i.lengthSq()===0&&(Math.abs(n.z)===1?Dn.x+=1e-4:Dn.z+=1e-4,Dn.normalize(),$i.crossVectors(n,Dn)),$i.normalize(),Mo.crossVectors(Dn,$i),s[0]=$i.x,s[4]=Mo.x,s[8]=Dn.x,s[1]=$i.y,s[5]=Mo.y,s[9]=Dn.y,s[2]=$i.z,s[6]=Mo.z,s[10]=Dn.z,this}multiply(e){return this.multiplyMatrices(this,e)}premultiply(e){return this.multiplyMatrices(e,this)}multiplyMatrices(e,t){const n=e.elements,s=t.elements,r=this.elements,o=n[0],a=n[4],l=n[8],c=n[12],u=n[1],h=n[5],f=n[9],m=n[13],_=n[2],v=n[6],d=n[10],p=n[14],y=n[3],S=n[7],w=n[11],H=n[15],T=s[0],R=s[4],z=s[8],b=s[12],x=s[1],N=s[5],G=s[9],U=s[13],j=s[2],X=s[6],ie=s[10],ee=s[14],te=s[3],K=s[7],Y=s[11],fe=s[15];return r[0]=o*T+a*x+l*j+c*te,r[4]=o*R+a*N+l*X+c*K,r[8]=o*z+a*G+l*ie+c*Y,r[12]=o*b+a*U+l*ee+c*fe,r[1]=u*T+h*x+f*j+m*te,r[5]=u*R+h*N+f*X+m*K,r[9]=u*z+h*G+f*ie+m*Y,r[13]=u*b+h*U+f*ee+m*fe,r[2]=_*T+v*x+d*j+p*te,r[6]=_*R+v*N+d*X+p*K,r[10]=_*z+v*G+d*ie+p*Y,r[14]=_*b+v*U+d*ee+p*fe,r[3]=y*T+S*x+w*j+H*te,r[7]=y*R+S*N+w*X+H*K,r[11]=y*z+S*G+w*ie+H*Y,r[15]=y*b+S*U+w*ee+H*fe,this}multiplyScalar(e){const t=this.elements;return t[0]*=e,t[4]*=e,t[8]*=e,t[12]*=e,t[1]*=e,t[5]*=e,t[9]*=e,t[13]*=e,t[2]*=e,t[6]*=e,t[10]*=e,t[14]*=e,t[3]*=e,t[7]*=e,t[11]*=e,t[15]*=e,this}determinant(){const e=this.elements,t=e[0],n=e[4],s=e[8],r=e[12],o=e[1],a=e[5],l=e[9],c=e[13],u=e[2],h=e[6],f=e[10],m=e[14],_=e[3],v=e[7],d=e[11],p=e[15];return _*(+r*l*h-s*c*h-r*a*f+n*c*f+s*a*m-n*l*m)+v*(+t*l*m-t*c*f+r*o*f-s*o*m+s*c*u-r*l*u)+d*(+t*c*h-t*a*m-r*o*h+n*o*m+r*a*u-n*c*u)+p*(-s*a*u-t*l*h+t*a*f+s*o*h-n*o*f+n*l*u)}transpose(){const e=this.elements;let t;return t=e[1],e[1]=e[4],e[4]=t,t=e[2],e[2]=e[8],e[8]=t,t=e[6],e[6]=e[9],e[9]=t,t=e[3],e[3]=e[12],e[12]=t,t=e[7],e[7]=e[13],e[13]=t,t=e[11],e[11]=e[14],e[14]=t,this}setPosition(e,t,n){const s=this.elements;return e.isVector3?(s[12]=e.x,s[13]=e.y,s[14]=e.z):(s[12]=e,s[13]=t,s[14]=n),this}invert(){const e=this.elements,t=e[0],n=e[1],s=e[2],r=e[3],o=e[4],a=e[5],l=e[6],c=e[7],u=e[8],h=e[9],f=e[10],m=e[11],_=e[12],v=e[13],d=e[14],p=e[15],y=h*d*c-v*f*c+v*l*m-a*d*m-h*l*p+a*f*p,S=_*f*c-u*d*c-_*l*m+o*d*m+u*l*p-o*f*p,w=u*v*c-_*h*c+_*a*m-o*v*m-u*a*p+o*h*p,H=_*h*l-u*v*l-_*a*f+o*v*f+u*a*d-o*h*d,T=t*y+n*S+s*w+r*H;if(T===0)return this.set(0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0);const R=1/T;return e[0]=y*R,e[1]=(v*f*r-h*d*r-v*s*m+n*d*m+h*s*p-n*f*p)*R,e[2]=(a*d*r-v*l*r+v*s*c-n*d*c-a*s*p+n*l*p)*R,e[3]=(h*l*r-a*f*r-h*s*c+n*f*c+a*s*m-n*l*m)*R,e[4]=S*R,e[5]=(u*d*r-_*f*r+_*s*m-t*d*m-u*s*p+t*f*p)*R,e[6]=(_*l*r-o*d*r-_*s*c+t*d*c+o*s*p-t*l*p)*R,e[7]=(o*f*r-u*l*r+u*s*c-t*f*c-o*s*m+t*l*m)*R,e[8]=w*R,e[9]=(_*h*r-u*v*r-_*n*m+t*v*m+u*n*p-t*h*p)*R,e[10]=(o*v*r-_*a*r+_*n*c-t*v*c-o*n*p+t*a*p)*R,e[11]=(u*a*r-o*h*r-u*n*c+t*h*c+o*n*m-t*a*m)*R,e[12]=H*R,e[13]=(u*v*s-_*h*s+_*n*f-t*v*f-u*n*d+t*h*d)*R,e[14]=(_*a*s-o*v*s-_*n*l+t*v*l+o*n*d-t*a*d)*R,e[15]=(o*h*s-u*a*s+u*n*l-t*h*l-o*n*f+t*a*f)*R,this}scale(e){const t=this.elements,n=e.x,s=e.y,r=e.z;return t[0]*=n,t[4]*=s,t[8]*=r,t[1]*=n,t[5]*=s,t[9]*=r,t[2]*=n,t[6]*=s,t[10]*=r,t[3]*=n,t[7]*=s,t[11]*=r,this}getMaxScaleOnAxis(){const e=this.elements,t=e[0]*e[0]+e[1]*e[1]+e[2]*e[2],n=e[4]*e[4]+e[5]*e[5]+e[6]*e[6],s=e[8]*e[8]+e[9]*e[9]+e[10]*e[10];return Math.sqrt(Math.max(t,n,s))}makeTranslation(e,t,n){return e.isVector3?this.set(1,0,0,e.x,0,1,0,e.y,0,0,1,e.z,0,0,0,1):this.set(1,0,0,e,0,1,0,t,0,0,1,n,0,0,0,1),this}makeRotationX(e){const t=Math.cos(e),n=Math.sin(e);return this.set(1,0,0,0,0,t,-n,0,0,n,t,0,0,0,0,1),this}makeRotationY(e){const t=Math.cos(e),n=Math.sin(e);return this.set(t,0,n,0,0,1,0,0,-n,0,t,0,0,0,0,1),this}makeRotationZ(e){const t=Math.cos(e),n=Math.sin(e);return this.set(t,-n,0,0,n,t,0,0,0,0,1,0,0,0,0,1),this}makeRotationAxis(e,t){const n=Math.cos(t),s=Math.sin(t),r=1-n,o=e.x,a=e.y,l=e.z,c=r*o,u=r*a;return this.set(c*o+n,c*a-s*l,c*l+s*a,0,c*a+s*l,u*a+n,u*l-s*o,0,c*l-s*a,u*l+s*o,r*l*l+n,0,0,0,0,1),this}makeScale(e,t,n){return this.set(e,0,0,0,0,t,0,0,0,0,n,0,0,0,0,1),this}makeShear(e,t,n,s,r,o){return this.set(1,n,r,0,e,1,o,0,t,s,1,0,0,0,0,1),this}compose(e,t,n){const s=this.elements,r=t._x,o=t._y,a=t._z,l=t._w,c=r+r,u=o+o,h=a+a,f=r*c,m=r*u,_=r*h,v=o*u,d=o*h,p=a*h,y=l*c,S=l*u,w=l*h,H=n.x,T=n.y,R=n.z;return s[0]=(1-(v+p))*H,s[1]=(m+w)*H,s[2]=(_-S)*H,s[3]=0,s[4]=(m-w)*T,s[5]=(1-(f+p))*T,s[6]=(d+y)*T,s[7]=0,s[8]=(_+S)*R,s[9]=(d-y)*R,s[10]=(1-(f+v))*R,s[11]=0,s[12]=e.x,s[13]=e.y,s[14]=e.z,s[15]=1,this}decompose(e,t,n){const s=this.elements;let r=Ks.set(s[0],s[1],s[2]).length();const o=Ks.set(s[4],s[5],s[6]).length(),a=Ks.set(s[8],s[9],s[10]).length();this.determinant()<0&&(r=-r),e.x=s[12],e.y=s[13],e.z=s[14],ei.copy(this);const c=1/r,u=1/o,h=1/a;return ei.elements[0]*=c,ei.elements[1]*=c,ei.elements[2]*=c,ei.elements[4]*=u,ei.elements[5]*=u,ei.elements[6]*=u,ei.elements[8]*=h,ei.elements[9]*=h,ei.elements[10]*=h,t.setFromRotationMatrix(ei),n.x=r,n.y=o,n.z=a,this}makePerspective(e,t,n,s,r,o,a=Li){const l=this.elements,c=2*r/(t-e),u=2*r/(n-s),h=(t+e)/(t-e),f=(n+s)/(n-s);let m,_;if(a===Li)m=-(o+r)/(o-r),_=-2*o*r/(o-r);else if(a===Zo)m=-o/(o-r),_=-o*r/(o-r);else throw new Error("THREE.Matrix4.makePerspective(): Invalid coordinate system: "+a);return l[0]=c,l[4]=0,l[8]=h,l[12]=0,l[1]=0,l[5]=u,l[9]=f,l[13]=0,l[2]=0,l[6]=0,l[10]=m,l[14]=_,l[3]=0,l[7]=0,l[11]=-1,l[15]=0,this}makeOrthographic(e,t,n,s,r,o,a=Li){const l=this.elements,c=1/(t-e),u=1/(n-s),h=1/(o-r),f=(t+e)*c,m=(n+s)*u;let _,v;if(a===Li)_=(o+r)*h,v=-2*h;else if(a===Zo)_=r*h,v=-1*h;else throw new Error("THREE.Matrix4.makeOrthographic(): Invalid coordinate system: "+a);return l[0]=2*c,l[4]=0,l[8]=0,l[12]=-f,l[1]=0,l[5]=2*u,l[9]=0,l[13]=-m,l[2]=0,l[6]=0,l[10]=v,l[14]=-_,l[3]=0,l[7]=0,l[11]=0,l[15]=1,this}equals(e){const t=this.elements,n=e.elements;for(let s=0;s<16;s++)if(t[s]!==n[s])return!1;return!0}fromArray(e,t=0){for(let n=0;n<16;n++)this.elements[n]=e[n+t];return this}toArray(e=[],t=0){const n=this.elements;return e[t]=n[0],e[t+1]=n[1],e[t+2]=n[2],e[t+3]=n[3],e[t+4]=n[4],e[t+5]=n[5],e[t+6]=n[6],e[t+7]=n[7],e[t+8]=n[8],e[t+9]=n[9],e[t+10]=n[10],e[t+11]=n[11],e[t+12]=n[12],e[t+13]=n[13],e[t+14]=n[14],e[t+15]=n[15],e}}const Ks=new $,ei=new Bt,jm=new $(0,0,0),Zm=new $(1,1,1),$i=new $,Mo=new $,Dn=new $,Ru=new Bt,Cu=new Ts;class Ni{constructor(e=0,t=0,n=0,s=Ni.DEFAULT_ORDER){this.isEuler=!0,this._x=e,this._y=t,this._z=n,this._order=s}get x(){return this._x}set x(e){this._x=e,this._onChangeCallback()}get y(){return this._y}set y(e){this._y=e,this._onChangeCallback()}get z(){return this._z}set z(e){this._z=e,this._onChangeCallback()}get order(){return this._order}set order(e){this._order=e,this._onChangeCallback()}set(e,t,n,s=this._order){return this._x=e,this._y=t,this._z=n,this._order=s,this._onChangeCallback(),this}clone(){return new this.constructor(this._x,this._y,this._z,this._order)}copy(e){return this._x=e._x,this._y=e._y,this._z=e._z,this._order=e._order,this._onChangeCallback(),this}setFromRotationMatrix(e,t=this._order,n=!0){const s=e.elements,r=s[0],o=s[4],a=s[8],l=s[1],c=s[5],u=s[9],h=s[2],f=s[6],m=s[10];switch(t){case"XYZ":this._y=Math.asin(ln(a,-1,1)),Math.abs(a)<.9999999?(this._x=Math.atan2(-u,m),this._z=Math.atan2(-o,r)):(this._x=Math.atan2(f,c),this._z=0);break;case"YXZ":this._x=Math.asin(-ln(u,-1,1)),Math.abs(u)<.9999999?(this._y=Math.atan2(a,m),this._z=Math.atan2(l,c)):(this._y=Math.atan2(-h,r),this._z=0);break;case"ZXY":this._x=Math.asin(ln(f,-1,1)),Math.abs(f)<.9999999?(this._y=Math.atan2(-h,m),this._z=Math.atan2(-o,c)):(this._y=0,this._z=Math.atan2(l,r));break;case"ZYX":this._y=Math.asin(-ln(h,-1,1)),Math.abs(h)<.9999999?(this._x=Math.atan2(f,m),this._z=Math.atan2(l,r)):(this._x=0,this._z=Math.atan2(-o,c));break;case"YZX":this._z=Math.asin(ln(l,-1,1)),Math.abs(l)<.9999999?(this._x=Math.atan2(-u,c),this._y=Math.atan2(-h,r)):(this._x=0,this._y=Math.atan2(a,m));break;case"XZY":this._z=Math.asin(-ln(o,-1,1)),Math.abs(o)<.9999999?(this._x=Math.atan2(f,c),this._y=Math.atan2(a,r)):(this._x=Math.atan2(-u,m),this._y=0);break;default:console.warn("THREE.Euler: .setFromRotationMatrix() encountered an unknown order: "+t)}return this._order=t,n===!0&&this._onChangeCallback(),this}setFromQuaternion(e,t,n){return Ru.makeRotationFromQuaternion(e),this.setFromRotationMatrix(Ru,t,n)}setFromVector3(e,t=this._order){return this.set(e.x,e.y,e.z,t)}reorder(e){return Cu.setFromEuler(this),this.setFromQuaternion(Cu,e)}equals(e){return e._x===this._x&&e._y===this._y&&e._z===this._z&&e._order===this._order}fromArray(e){return this._x=e[0],this._y=e[1],this._z=e[2],e[3]!==void 0&&(this._order=e[3]),this._onChangeCallback(),this}toArray(e=[],t=0){return e[t]=this._x,e[t+1]=this._y,e[t+2]=this._z,e[t+3]=this._order,e}_onChange(e){return this._onChangeCallback=e,this}_onChangeCallback(){}*[Symbol.iterator](){yield this._x,yield this._y,yield this._z,yield this._order}}Ni.DEFAULT_ORDER="XYZ";class tc{constructor(){this.mask=1}set(e){this.mask=(1<<e|0)>>>0}enable(e){this.mask|=1<<e|0}enableAll(){this.mask=-1}toggle(e){this.mask^=1<<e|0}disable(e){this.mask&=~(1<<e|0)}disableAll(){this.mask=0}test(e){return(this.mask&e.mask)!==0}isEnabled(e){return(this.mask&(1<<e|0))!==0}}let Jm=0;const Pu=new $,js=new Ts,Ti=new Bt,So=new $,kr=new $,Qm=new $,eg=new Ts,Lu=new $(1,0,0),Du=new $(0,1,0),Uu=new $(0,0,1),Iu={type:"added"},tg={type:"removed"},Zs={type:"childadded",child:null},Ja={type:"childremoved",child:null};class On extends Rs{constructor(){super(),this.isObject3D=!0,Object.defineProperty(this,"id",{value:Jm++}),this.uuid=no(),this.name="",this.type="Object3D",this.parent=null,this.children=[],this.up=On.DEFAULT_UP.clone();const e=new $,t=new Ni,n=new Ts,s=new $(1,1,1);function r(){n.setFromEuler(t,!1)}function o(){t.setFromQuaternion(n,void 0,!1)}t._onChange(r),n._onChange(o),Object.defineProperties(this,{position:{configurable:!0,enumerable:!0,value:e},rotation:{configurable:!0,enumerable:!0,value:t},quaternion:{configurable:!0,enumerable:!0,value:n},scale:{configurable:!0,enumerable:!0,value:s},modelViewMatrix:{value:new Bt},normalMatrix:{value:new rt}}),this.matrix=new Bt,this.matrixWorld=new Bt,this.matrixAutoUpdate=On.DEFAULT_MATRIX_AUTO_UPDATE,this.matrixWorldAutoUpdate=On.DEFAULT_MATRIX_WORLD_AUTO_UPDATE,this.matrixWorldNeedsUpdate=!1,this.layers=new tc,this.visible=!0,this.castShadow=!1,this.receiveShadow=!1,this.frustumCulled=!0,this.renderOrder=0,this.animations=[],this.userData={}}onBeforeShadow(){}onAfterShadow(){}onBeforeRender(){}onAfterRender(){}applyMatrix4(e){this.matrixAutoUpdate&&this.updateMatrix(),this.matrix.premultiply(e),this.matrix.decompose(this.position,this.quaternion,this.scale)}applyQuaternion(e){return this.quaternion.premultiply(e),this}setRotationFromAxisAngle(e,t){this.quaternion.setFromAxisAngle(e,t)}setRotationFromEuler(e){this.quaternion.setFromEuler(e,!0)}setRotationFromMatrix(e){this.quaternion.setFromRotationMatrix(e)}setRotationFromQuaternion(e){this.quaternion.copy(e)}rotateOnAxis(e,t){return js.setFromAxisAngle(e,t),this.quaternion.multiply(js),this}rotateOnWorldAxis(e,t){return js.setFromAxisAngle(e,t),this.quaternion.premultiply(js),this}rotateX(e){return this.rotateOnAxis(Lu,e)}rotateY(e){return this.rotateOnAxis(Du,e)}rotateZ(e){return this.rotateOnAxis(Uu,e)}translateOnAxis(e,t){return Pu.copy(e).applyQuaternion(this.quaternion),this.position.add(Pu.multiplyScalar(t)),this}translateX(e){return this.translateOnAxis(Lu,e)}translateY(e){return this.translateOnAxis(Du,e)}translateZ(e){return this.translateOnAxis(Uu,e)}localToWorld(e){return this.updateWorldMatrix(!0,!1),e.applyMatrix4(this.matrixWorld)}worldToLocal(e){return this.updateWorldMatrix(!0,!1),e.applyMatrix4(Ti.copy(this.matrixWorld).invert())}lookAt(e,t,n){e.isVector3?So.copy(e):So.set(e,t,n);const s=this.parent;this.updateWorldMatrix(!0,!1),kr.setFromMatrixPosition(this.matrixWorld),this.isCamera||this.isLight?Ti.lookAt(kr,So,this.up):Ti.lookAt(So,kr,this.up),this.quaternion.setFromRotationMatrix(Ti),s&&(Ti.extractRotation(s.matrixWorld),js.setFromRotationMatrix(Ti),this.quaternion.premultiply(js.invert()))}add(e){if(arguments.length>1){for(let t=0;t<arguments.length;t++)this.add(arguments[t]);return this}return e===this?(console.error("THREE.Object3D.add: object can't be added as a child of itself.",e),this):(e&&e.isObject3D?(e.removeFromParent(),e.parent=this,this.children.push(e),e.dispatchEvent(Iu),Zs.child=e,this.dispatchEvent(Zs),Zs.child=null):console.error("THREE.Object3D.add: object not an instance of THREE.Object3D.",e),this)}remove(e){if(arguments.length>1){for(let n=0;n<arguments.length;n++)this.remove(arguments[n]);return this}const t=this.children.indexOf(e);return t!==-1&&(e.parent=null,this.children.splice(t,1),e.dispatchEvent(tg),Ja.child=e,this.dispatchEvent(Ja),Ja.child=null),this}removeFromParent(){const e=this.parent;return e!==null&&e.remove(this),this}clear(){return this.remove(...this.children)}attach(e){return this.updateWorldMatrix(!0,!1),Ti.copy(this.matrixWorld).invert(),e.parent!==null&&(e.parent.updateWorldMatrix(!0,!1),Ti.multiply(e.parent.matrixWorld)),e.applyMatrix4(Ti),e.removeFromParent(),e.parent=this,this.children.push(e),e.updateWorldMatrix(!1,!0),e.dispatchEvent(Iu),Zs.child=e,this.dispatchEvent(Zs),Zs.child=null,this}getObjectById(e){return this.getObjectByProperty("id",e)}getObjectByName(e){return this.getObjectByProperty("name",e)}getObjectByProperty(e,t){if(this[e]===t)return this;for(let n=0,s=this.children.length;n<s;n++){const o=this.children[n].getObjectByProperty(e,t);if(o!==void 0)return o}}getObjectsByProperty(e,t,n=[]){this[e]===t&&n.push(this);const s=this.children;for(let r=0,o=s.length;r<o;r++)s[r].getObjectsByProperty(e,t,n);return n}getWorldPosition(e){return this.updateWorldMatrix(!0,!1),e.setFromMatrixPosition(this.matrixWorld)}getWorldQuaternion(e){return this.updateWorldMatrix(!0,!1),this.matrixWorld.decompose(kr,e,Qm),e}getWorldScale(e){return this.updateWorldMatrix(!0,!1),this.matrixWorld.decompose(kr,eg,e),e}getWorldDirection(e){this.updateWorldMatrix(!0,!1);const t=this.matrixWorld.elements;return e.set(t[8],t[9],t[10]).normalize()}raycast(){}traverse(e){e(this);const t=this.children;for(let n=0,s=t.length;n<s;n++)t[n].traverse(e)}traverseVisible(e){if(this.visible===!1)return;e(this);const t=this.children;for(let n=0,s=t.length;n<s;n++)t[n].traverseVisible(e)}traverseAncestors(e){const t=this.parent;t!==null&&(e(t),t.traverseAncestors(e))}updateMatrix(){this.matrix.compose(this.position,this.quaternion,this.scale),this.matrixWorldNeedsUpdate=!0}updateMatrixWorld(e){this.matrixAutoUpdate&&this.updateMatrix(),(this.matrixWorldNeedsUpdate||e)&&(this.parent===null?this.matrixWorld.copy(this.matrix):this.matrixWorld.multiplyMatrices(this.parent.matrixWorld,this.matrix),this.matrixWorldNeedsUpdate=!1,e=!0);const t=this.children;for(let n=0,s=t.length;n<s;n++){const r=t[n];(r.matrixWorldAutoUpdate===!0||e===!0)&&r.updateMatrixWorld(e)}}updateWorldMatrix(e,t){const n=this.parent;if(e===!0&&n!==null&&n.matrixWorldAutoUpdate===!0&&n.updateWorldMatrix(!0,!1),this.matrixAutoUpdate&&this.updateMatrix(),this.parent===null?this.matrixWorld.copy(this.matrix):this.matrixWorld.multiplyMatrices(this.parent.matrixWorld,this.matrix),t===!0){const s=this.children;for(let r=0,o=s.length;r<o;r++){const a=s[r];a.matrixWorldAutoUpdate===!0&&a.updateWorldMatrix(!1,!0)}}}toJSON(e){const t=e===void 0||typeof e=="string",n={};t&&(e={geometries:{},materials:{},textures:{},images:{},shapes:{},skeletons:{},animations:{},nodes:{}},n.metadata={version:4.6,type:"Object",generator:"Object3D.toJSON"});const s={};s.uuid=this.uuid,s.type=this.type,this.name!==""&&(s.name=this.name),this.castShadow===!0&&(s.castShadow=!0),this.receiveShadow===!0&&(s.receiveShadow=!0),this.visible===!1&&(s.visible=!1),this.frustumCulled===!1&&(s.frustumCulled=!1),this.renderOrder!==0&&(s.renderOrder=this.renderOrder),Object.keys(this.userData).length>0&&(s.userData=this.userData),s.layers=this.layers.mask,s.matrix=this.matrix.toArray(),s.up=this.up.toArray(),this.matrixAutoUpdate===!1&&(s.matrixAutoUpdate=!1),this.isInstancedMesh&&(s.type="InstancedMesh",s.count=this.count,s.instanceMatrix=this.instanceMatrix.toJSON(),this.instanceColor!==null&&(s.instanceColor=this.instanceColor.toJSON())),this.isBatchedMesh&&(s.type="BatchedMesh",s.perObjectFrustumCulled=this.perObjectFrustumCulled,s.sortObjects=this.sortObjects,s.drawRanges=this._drawRanges,s.reservedRanges=this._reservedRanges,s.visibility=this._visibility,s.active=this._active,s.bounds=this._bounds.map(a=>({boxInitialized:a.boxInitialized,boxMin:a.box.min.toArray(),boxMax:a.box.max.toArray(),sphereInitialized:a.sphereInitialized,sphereRadius:a.sphere.radius,sphereCenter:a.sphere.center.toArray()})),s.maxGeometryCount=this._maxGeometryCount,s.maxVertexCount=this._maxVertexCount,s.maxIndexCount=this._maxIndexCount,s.geometryInitialized=this._geometryInitialized,s.geometryCount=this._geometryCount,s.matricesTexture=this._matricesTexture.toJSON(e),this.boundingSphere!==null&&(s.boundingSphere={center:s.boundingSphere.center.toArray(),radius:s.boundingSphere.radius}),this.boundingBox!==null&&(s.boundingBox={min:s.boundingBox.min.toArray(),max:s.boundingBox.max.toArray()}));function r(a,l){return a[l.uuid]===void 0&&(a[l.uuid]=l.toJSON(e)),l.uuid}if(this.isScene)this.background&&(this.background.isColor?s.background=this.background.toJSON():this.background.isTexture&&(s.background=this.background.toJSON(e).uuid)),this.environment&&this.environment.isTexture&&this.environment.isRenderTargetTexture!==!0&&(s.environment=this.environment.toJSON(e).uuid);else if(this.isMesh||this.isLine||this.isPoints){s.geometry=r(e.geometries,this.geometry);const a=this.geometry.parameters;if(a!==void 0&&a.shapes!==void 0){const l=a.shapes;if(Array.isArray(l))for(let c=0,u=l.length;c<u;c++){const h=l[c];r(e.shapes,h)}else r(e.shapes,l)}}if(this.isSkinnedMesh&&(s.bindMode=this.bindMode,s.bindMatrix=this.bindMatrix.toArray(),this.skeleton!==void 0&&(r(e.skeletons,this.skeleton),s.skeleton=this.skeleton.uuid)),this.material!==void 0)if(Array.isArray(this.material)){const a=[];for(let l=0,c=this.material.length;l<c;l++)a.push(r(e.materials,this.material[l]));s.material=a}else s.material=r(e.materials,this.material);if(this.children.length>0){s.children=[];for(let a=0;a<this.children.length;a++)s.children.push(this.children[a].toJSON(e).object)}if(this.animations.length>0){s.animations=[];for(let a=0;a<this.animations.length;a++){const l=this.animations[a];s.animations.push(r(e.animations,l))}}if(t){const a=o(e.geometries),l=o(e.materials),c=o(e.textures),u=o(e.images),h=o(e.shapes),f=o(e.skeletons),m=o(e.animations),_=o(e.nodes);a.length>0&&(n.geometries=a),l.length>0&&(n.materials=l),c.length>0&&(n.textures=c),u.length>0&&(n.images=u),h.length>0&&(n.shapes=h),f.length>0&&(n.skeletons=f),m.length>0&&(n.animations=m),_.length>0&&(n.nodes=_)}return n.object=s,n;function o(a){const l=[];for(const c in a){const u=a[c];delete u.metadata,l.push(u)}return l}}clone(e){return new this.constructor().copy(this,e)}copy(e,t=!0){if(this.name=e.name,this.up.copy(e.up),this.position.copy(e.position),this.rotation.order=e.rotation.order,this.quaternion.copy(e.quaternion),this.scale.copy(e.scale),this.matrix.copy(e.matrix),this.matrixWorld.copy(e.matrixWorld),this.matrixAutoUpdate=e.matrixAutoUpdate,this.matrixWorldAutoUpdate=e.matrixWorldAutoUpdate,this.matrixWorldNeedsUpdate=e.matrixWorldNeedsUpdate,this.layers.mask=e.layers.mask,this.visible=e.visible,this.castShadow=e.castShadow,this.receiveShadow=e.receiveShadow,this.frustumCulled=e.frustumCulled,this.renderOrder=e.renderOrder,this.animations=e.animations.slice(),this.userData=JSON.parse(JSON.stringify(e.userData)),t===!0)for(let n=0;n<e.children.length;n++){const s=e.children[n];this.add(s.clone())}return this}}On.DEFAULT_UP=new $(0,1,0);On.DEFAULT_MATRIX_AUTO_UPDATE=!0;On.DEFAULT_MATRIX_WORLD_AUTO_UPDATE=!0;const ti=new $,Ai=new $,Qa=new $,Ri=new $,Js=new $,Qs=new $,Nu=new $,el=new $,tl=new $,nl=new $;class gi{constructor(e=new $,t=new $,n=new $){this.a=e,this.b=t,this.c=n}static getNormal(e,t,n,s){s.subVectors(n,t),ti.subVectors(e,t),s.cross(ti);const r=s.lengthSq();return r>0?s.multiplyScalar(1/Math.sqrt(r)):s.set(0,0,0)}static getBarycoord(e,t,n,s,r){ti.subVectors(s,t),Ai.subVectors(n,t),Qa.subVectors(e,t);const o=ti.dot(ti),a=ti.dot(Ai),l=ti.dot(Qa),c=Ai.dot(Ai),u=Ai.dot(Qa),h=o*c-a*a;if(h===0)return r.set(0,0,0),null;const f=1/h,m=(c*l-a*u)*f,_=(o*u-a*l)*f;return r.set(1-m-_,_,m)}static containsPoint(e,t,n,s){return this.getBarycoord(e,t,n,s,Ri)===null?!1:Ri.x>=0&&Ri.y>=0&&Ri.x+Ri.y<=1}static getInterpolation(e,t,n,s,r,o,a,l){return this.getBarycoord(e,t,n,s,Ri)===null?(l.x=0,l.y=0,"z"in l&&(l.z=0),"w"in l&&(l.w=0),null):(l.setScalar(0),l.addScaledVector(r,Ri.x),l.addScaledVector(o,Ri.y),l.addScaledVector(a,Ri.z),l)}static isFrontFacing(e,t,n,s){return ti.subVectors(n,t),Ai.subVectors(e,t),ti.cross(Ai).dot(s)<0}set(e,t,n){return this.a.copy(e),this.b.copy(t),this.c.copy(n),this}setFromPointsAndIndices(e,t,n,s){return this.a.copy(e[t]),this.b.copy(e[n]),this.c.copy(e[s]),this}setFromAttributeAndIndices(e,t,n,s){return this.a.fromBufferAttribute(e,t),this.b.fromBufferAttribute(e,n),this.c.fromBufferAttribute(e,s),this}clone(){return new this.constructor().copy(this)}copy(e){return this.a.copy(e.a),this.b.copy(e.b),this.c.copy(e.c),this}getArea(){return ti.subVectors(this.c,this.b),Ai.subVectors(this.a,this.b),ti.cross(Ai).length()*.5}getMidpoint(e){return e.addVectors(this.a,this.b).add(this.c).multiplyScalar(1/3)}getNormal(e){return gi.getNormal(this.a,this.b,this.c,e)}getPlane(e){return e.setFromCoplanarPoints(this.a,this.b,this.c)}getBarycoord(e,t){return gi.getBarycoord(e,this.a,this.b,this.c,t)}getInterpolation(e,t,n,s,r){return gi.getInterpolation(e,this.a,this.b,this.c,t,n,s,r)}containsPoint(e){return gi.containsPoint(e,this.a,this.b,this.c)}isFrontFacing(e){return gi.isFrontFacing(this.a,this.b,this.c,e)}intersectsBox(e){return e.intersectsTriangle(this)}closestPointToPoint(e,t){const n=this.a,s=this.b,r=this.c;let o,a;Js.subVectors(s,n),Qs.subVectors(r,n),el.subVectors(e,n);const l=Js.dot(el),c=Qs.dot(el);if(l<=0&&c<=0)return t.copy(n);tl.subVectors(e,s);const u=Js.dot(tl),h=Qs.dot(tl);if(u>=0&&h<=u)return t.copy(s);const f=l*h-u*c;if(f<=0&&l>=0&&u<=0)return o=l/(l-u),t.copy(n).addScaledVector(Js,o);nl.subVectors(e,r);const m=Js.dot(nl),_=Qs.dot(nl);if(_>=0&&m<=_)return t.copy(r);const v=m*c-l*_;if(v<=0&&c>=0&&_<=0)return a=c/(c-_),t.copy(n).addScaledVector(Qs,a);const d=u*_-m*h;if(d<=0&&h-u>=0&&m-_>=0)return Nu.subVectors(r,s),a=(h-u)/(h-u+(m-_)),t.copy(s).addScaledVector(Nu,a);const p=1/(d+v+f);return o=v*p,a=f*p,t.copy(n).addScaledVector(Js,o).addScaledVector(Qs,a)}equals(e){return e.a.equals(this.a)&&e.b.equals(this.b)&&e.c.equals(this.c)}}const Wf={aliceblue:15792383,antiquewhite:16444375,aqua:65535,aquamarine:8388564,azure:15794175,beige:16119260,bisque:16770244,black:0,blanchedalmond:16772045,blue:255,blueviolet:9055202,brown:10824234,burlywood:14596231,cadetblue:6266528,chartreuse:8388352,chocolate:13789470,coral:16744272,cornflowerblue:6591981,cornsilk:16775388,crimson:14423100,cyan:65535,darkblue:139,darkcyan:35723,darkgoldenrod:12092939,darkgray:11119017,darkgreen:25600,darkgrey:11119017,darkkhaki:12433259,darkmagenta:9109643,darkolivegreen:5597999,darkorange:16747520,darkorchid:10040012,darkred:9109504,darksalmon:15308410,darkseagreen:9419919,darkslateblue:4734347,darkslategray:3100495,darkslategrey:3100495,darkturquoise:52945,darkviolet:9699539,deeppink:16716947,deepskyblue:49151,dimgray:6908265,dimgrey:6908265,dodgerblue:2003199,firebrick:11674146,floralwhite:16775920,forestgreen:2263842,fuchsia:16711935,gainsboro:14474460,ghostwhite:16316671,gold:16766720,goldenrod:14329120,gray:8421504,green:32768,greenyellow:11403055,grey:8421504,honeydew:15794160,hotpink:16738740,indianred:13458524,indigo:4915330,ivory:16777200,khaki:15787660,lavender:15132410,lavenderblush:16773365,lawngreen:8190976,lemonchiffon:16775885,lightblue:11393254,lightcoral:15761536,lightcyan:14745599,lightgoldenrodyellow:16448210,lightgray:13882323,lightgreen:9498256,lightgrey:13882323,lightpink:16758465,lightsalmon:16752762,lightseagreen:2142890,lightskyblue:8900346,lightslategray:7833753,lightslategrey:7833753,lightsteelblue:11584734,lightyellow:16777184,lime:65280,limegreen:3329330,linen:16445670,magenta:16711935,maroon:8388608,mediumaquamarine:6737322,mediumblue:205,mediumorchid:12211667,mediumpurple:9662683,mediumseagreen:3978097,mediumslateblue:8087790,mediumspringgreen:64154,mediumturquoise:4772300,mediumvioletred:13047173,midnightblue:1644912,mintcream:16121850,mistyrose:16770273,moccasin:16770229,navajowhite:16768685,navy:128,oldlace:16643558,olive:8421376,olivedrab:7048739,orange:16753920,orangered:16729344,orchid:14315734,palegoldenrod:15657130,palegreen:10025880,paleturquoise:11529966,palevioletred:14381203,papayawhip:16773077,peachpuff:16767673,peru:13468991,pink:16761035,plum:14524637,powderblue:11591910,purple:8388736,rebeccapurple:6697881,red:16711680,rosybrown:12357519,royalblue:4286945,saddlebrown:9127187,salmon:16416882,sandybrown:16032864,seagreen:3050327,seashell:16774638,sienna:10506797,silver:12632256,skyblue:8900331,slateblue:6970061,slategray:7372944,slategrey:7372944,snow:16775930,springgreen:65407,steelblue:4620980,tan:13808780,teal:32896,thistle:14204888,tomato:16737095,turquoise:4251856,violet:15631086,wheat:16113331,white:16777215,whitesmoke:16119285,yellow:16776960,yellowgreen:10145074},Yi={h:0,s:0,l:0},yo={h:0,s:0,l:0};function il(i,e,t){return t<0&&(t+=1),t>1&&(t-=1),t<1/6?i+(e-i)*6*t:t<1/2?e:t<2/3?i+(e-i)*6*(2/3-t):i}class St{constructor(e,t,n){return this.isColor=!0,this.r=1,this.g=1,this.b=1,this.set(e,t,n)}set(e,t,n){if(t===void 0&&n===void 0){const s=e;s&&s.isColor?this.copy(s):typeof s=="number"?this.setHex(s):typeof s=="string"&&this.setStyle(s)}else this.setRGB(e,t,n);return this}setScalar(e){return this.r=e,this.g=e,this.b=e,this}setHex(e,t=di){return e=Math.floor(e),this.r=(e>>16&255)/255,this.g=(e>>8&255)/255,this.b=(e&255)/255,vt.toWorkingColorSpace(this,t),this}setRGB(e,t,n,s=vt.workingColorSpace){return this.r=e,this.g=t,this.b=n,vt.toWorkingColorSpace(this,s),this}setHSL(e,t,n,s=vt.workingColorSpace){if(e=Bm(e,1),t=ln(t,0,1),n=ln(n,0,1),t===0)this.r=this.g=this.b=n;else{const r=n<=.5?n*(1+t):n+t-n*t,o=2*n-r;this.r=il(o,r,e+1/3),this.g=il(o,r,e),this.b=il(o,r,e-1/3)}return vt.toWorkingColorSpace(this,s),this}setStyle(e,t=di){function n(r){r!==void 0&&parseFloat(r)<1&&console.warn("THREE.Color: Alpha component of "+e+" will be ignored.")}let s;if(s=/^(\w+)\(([^\)]*)\)/.exec(e)){let r;const o=s[1],a=s[2];switch(o){case"rgb":case"rgba":if(r=/^\s*(\d+)\s*,\s*(\d+)\s*,\s*(\d+)\s*(?:,\s*(\d*\.?\d+)\s*)?$/.exec(a))return n(r[4]),this.setRGB(Math.min(255,parseInt(r[1],10))/255,Math.min(255,parseInt(r[2],10))/255,Math.min(255,parseInt(r[3],10))/255,t);if(r=/^\s*(\d+)\%\s*,\s*(\d+)\%\s*,\s*(\d+)\%\s*(?:,\s*(\d*\.?\d+)\s*)?$/.exec(a))return n(r[4]),this.setRGB(Math.min(100,parseInt(r[1],10))/100,Math.min(100,parseInt(r[2],10))/100,Math.min(100,parseInt(r[3],10))/100,t);break;case"hsl":case"hsla":if(r=/^\s*(\d*\.?\d+)\s*,\s*(\d*\.?\d+)\%\s*,\s*(\d*\.?\d+)\%\s*(?:,\s*(\d*\.?\d+)\s*)?$/.exec(a))return n(r[4]),this.setHSL(parseFloat(r[1])/360,parseFloat(r[2])/100,parseFloat(r[3])/100,t);break;default:console.warn("THREE.Color: Unknown color model "+e)}}else if(s=/^\#([A-Fa-f\d]+)$/.exec(e)){const r=s[1],o=r.length;if(o===3)return this.setRGB(parseInt(r.charAt(0),16)/15,parseInt(r.charAt(1),16)/15,parseInt(r.charAt(2),16)/15,t);if(o===6)return this.setHex(parseInt(r,16),t);console.warn("THREE.Color: Invalid hex color "+e)}else if(e&&e.length>0)return this.setColorName(e,t);return this}setColorName(e,t=di){const n=Wf[e.toLowerCase()];return n!==void 0?this.setHex(n,t):console.warn("THREE.Color: Unknown color "+e),this}clone(){return new this.constructor(this.r,this.g,this.b)}copy(e){return this.r=e.r,this.g=e.g,this.b=e.b,this}copySRGBToLinear(e){return this.r=fr(e.r),this.g=fr(e.g),this.b=fr(e.b),this}copyLinearToSRGB(e){return this.r=Wa(e.r),this.g=Wa(e.g),this.b=Wa(e.b),this}convertSRGBToLinear(){return this.copySRGBToLinear(this),this}convertLinearToSRGB(){return this.copyLinearToSRGB(this),this}getHex(e=di){return vt.fromWorkingColorSpace(dn.copy(this),e),Math.round(ln(dn.r*255,0,255))*65536+Math.round(ln(dn.g*255,0,255))*256+Math.round(ln(dn.b*255,0,255))}getHexString(e=di){return("000000"+this.getHex(e).toString(16)).slice(-6)}getHSL(e,t=vt.workingColorSpace){vt.fromWorkingColorSpace(dn.copy(this),t);const n=dn.r,s=dn.g,r=dn.b,o=Math.max(n,s,r),a=Math.min(n,s,r);let l,c;const u=(a+o)/2;if(a===o)l=0,c=0;else{const h=o-a;switch(c=u<=.5?h/(o+a):h/(2-o-a),o){case n:l=(s-r)/h+(s<r?6:0);break;case s:l=(r-n)/h+2;break;case r:l=(n-s)/h+4;break}l/=6}return e.h=l,e.s=c,e.l=u,e}getRGB(e,t=vt.workingColorSpace){return vt.fromWorkingColorSpace(dn.copy(this),t),e.r=dn.r,e.g=dn.g,e.b=dn.b,e}getStyle(e=di){vt.fromWorkingColorSpace(dn.copy(this),e);const t=dn.r,n=dn.g,s=dn.b;return e!==di?`color(${e} ${t.toFixed(3)} ${n.toFixed(3)} ${s.toFixed(3)})`:`rgb(${Math.round(t*255)},${Math.round(n*255)},${Math.round(s*255)})`}offsetHSL(e,t,n){return this.getHSL(Yi),this.setHSL(Yi.h+e,Yi.s+t,Yi.l+n)}add(e){return this.r+=e.r,this.g+=e.g,this.b+=e.b,this}addColors(e,t){return this.r=e.r+t.r,this.g=e.g+t.g,this.b=e.b+t.b,this}addScalar(e){return this.r+=e,this.g+=e,this.b+=e,this}sub(e){return this.r=Math.max(0,this.r-e.r),this.g=Math.max(0,this.g-e.g),this.b=Math.max(0,this.b-e.b),this}multiply(e){return this.r*=e.r,this.g*=e.g,this.b*=e.b,this}multiplyScalar(e){return this.r*=e,this.g*=e,this.b*=e,this}lerp(e,t){return this.r+=(e.r-this.r)*t,this.g+=(e.g-this.g)*t,this.b+=(e.b-this.b)*t,this}lerpColors(e,t,n){return this.r=e.r+(t.r-e.r)*n,this.g=e.g+(t.g-e.g)*n,this.b=e.b+(t.b-e.b)*n,this}lerpHSL(e,t){this.getHSL(Yi),e.getHSL(yo);const n=Va(Yi.h,yo.h,t),s=Va(Yi.s,yo.s,t),r=Va(Yi.l,yo.l,t);return this.setHSL(n,s,r),this}setFromVector3(e){return this.r=e.x,this.g=e.y,this.b=e.z,this}applyMatrix3(e){const t=this.r,n=this.g,s=this.b,r=e.elements;return this.r=r[0]*t+r[3]*n+r[6]*s,this.g=r[1]*t+r[4]*n+r[7]*s,this.b=r[2]*t+r[5]*n+r[8]*s,this}equals(e){return e.r===this.r&&e.g===this.g&&e.b===this.b}fromArray(e,t=0){return this.r=e[t],this.g=e[t+1],this.b=e[t+2],this}toArray(e=[],t=0){return e[t]=this.r,e[t+1]=this.g,e[t+2]=this.b,e}fromBufferAttribute(e,t){return this.r=e.getX(t),this.g=e.getY(t),this.b=e.getZ(t),this}toJSON(){return this.getHex()}*[Symbol.iterator](){yield this.r,yield this.g,yield this.b}}const dn=new St;St.NAMES=Wf;let ng=0;class la extends Rs{constructor(){super(),this.isMaterial=!0,Object.defineProperty(this,"id",{value:ng++}),this.uuid=no(),this.name="",this.type="Material",this.blending=ur,this.side=ts,this.vertexColors=!1,this.opacity=1,this.transparent=!1,this.alphaHash=!1,this.blendSrc=Pl,this.blendDst=Ll,this.blendEquation=_s,this.blendSrcAlpha=null,this.blendDstAlpha=null,this.blendEquationAlpha=null,this.blendColor=new St(0,0,0),this.blendAlpha=0,this.depthFunc=Yo,this.depthTest=!0,this.depthWrite=!0,this.stencilWriteMask=255,this.stencilFunc=Su,this.stencilRef=0,this.stencilFuncMask=255,this.stencilFail=Ws,this.stencilZFail=Ws,this.stencilZPass=Ws,this.stencilWrite=!1,this.clippingPlanes=null,this.clipIntersection=!1,this.clipShadows=!1,this.shadowSide=null,this.colorWrite=!0,this.precision=null,this.polygonOffset=!1,this.polygonOffsetFactor=0,this.polygonOffsetUnits=0,this.dithering=!1,this.alphaToCoverage=!1,this.premultipliedAlpha=!1,this.forceSinglePass=!1,this.visible=!0,this.toneMapped=!0,this.userData={},this.version=0,this._alphaTest=0}get alphaTest(){return this._alphaTest}set alphaTest(e){this._alphaTest>0!=e>0&&this.version++,this._alphaTest=e}onBuild(){}onBeforeRender(){}onBeforeCompile(){}customProgramCacheKey(){return this.onBeforeCompile.toString()}setValues(e){if(e!==void 0)for(const t in e){const n=e[t];if(n===void 0){console.warn(`THREE.Material: parameter '${t}' has value of undefined.`);continue}const s=this[t];if(s===void 0){console.warn(`THREE.Material: '${t}' is not a property of THREE.${this.type}.`);continue}s&&s.isColor?s.set(n):s&&s.isVector3&&n&&n.isVector3?s.copy(n):this[t]=n}}toJSON(e){const t=e===void 0||typeof e=="string";t&&(e={textures:{},images:{}});const n={metadata:{version:4.6,type:"Material",generator:"Material.toJSON"}};n.uuid=this.uuid,n.type=this.type,this.name!==""&&(n.name=this.name),this.color&&this.color.isColor&&(n.color=this.color.getHex()),this.roughness!==void 0&&(n.roughness=this.roughness),this.metalness!==void 0&&(n.metalness=this.metalness),this.sheen!==void 0&&(n.sheen=this.sheen),this.sheenColor&&this.sheenColor.isColor&&(n.sheenColor=this.sheenColor.getHex()),this.sheenRoughness!==void 0&&(n.sheenRoughness=this.sheenRoughness),this.emissive&&this.emissive.isColor&&(n.emissive=this.emissive.getHex()),this.emissiveIntensity!==void 0&&this.emissiveIntensity!==1&&(n.emissiveIntensity=this.emissiveIntensity),this.specular&&this.specular.isColor&&(n.specular=this.specular.getHex()),this.specularIntensity!==void 0&&(n.specularIntensity=this.specularIntensity),this.specularColor&&this.specularColor.isColor&&(n.specularColor=this.specularColor.getHex()),this.shininess!==void 0&&(n.shininess=this.shininess),this.clearcoat!==void 0&&(n.clearcoat=this.clearcoat),this.clearcoatRoughness!==void 0&&(n.clearcoatRoughness=this.clearcoatRoughness),this.clearcoatMap&&this.clearcoatMap.isTexture&&(n.clearcoatMap=this.clearcoatMap.toJSON(e).uuid),this.clearcoatRoughnessMap&&this.clearcoatRoughnessMap.isTexture&&(n.clearcoatRoughnessMap=this.clearcoatRoughnessMap.toJSON(e).uuid),this.clearcoatNormalMap&&this.clearcoatNormalMap.isTexture&&(n.clearcoatNormalMap=this.clearcoatNormalMap.toJSON(e).uuid,n.clearcoatNormalScale=this.clearcoatNormalScale.toArray()),this.dispersion!==void 0&&(n.dispersion=this.dispersion),this.iridescence!==void 0&&(n.iridescence=this.iridescence),this.iridescenceIOR!==void 0&&(n.iridescenceIOR=this.iridescenceIOR),this.iridescenceThicknessRange!==void 0&&(n.iridescenceThicknessRange=this.iridescenceThicknessRange),this.iridescenceMap&&this.iridescenceMap.isTexture&&(n.iridescenceMap=this.iridescenceMap.toJSON(e).uuid),this.iridescenceThicknessMap&&this.iridescenceThicknessMap.isTexture&&(n.iridescenceThicknessMap=this.iridescenceThicknessMap.toJSON(e).uuid),this.anisotropy!==void 0&&(n.anisotropy=this.anisotropy),this.anisotropyRotation!==void 0&&(n.anisotropyRotation=this.anisotropyRotation),this.anisotropyMap&&this.anisotropyMap.isTexture&&(n.anisotropyMap=this.anisotropyMap.toJSON(e).uuid),this.map&&this.map.isTexture&&(n.map=this.map.toJSON(e).uuid),this.matcap&&this.matcap.isTexture&&(n.matcap=this.matcap.toJSON(e).uuid),this.alphaMap&&this.alphaMap.isTexture&&(n.alphaMap=this.alphaMap.toJSON(e).uuid),this.lightMap&&this.lightMap.isTexture&&(n.lightMap=this.lightMap.toJSON(e).uuid,n.lightMapIntensity=this.lightMapIntensity),this.aoMap&&this.aoMap.isTexture&&(n.aoMap=this.aoMap.toJSON(e).uuid,n.aoMapIntensity=this.aoMapIntensity),this.bumpMap&&this.bumpMap.isTexture&&(n.bumpMap=this.bumpMap.toJSON(e).uuid,n.bumpScale=this.bumpScale),this.normalMap&&this.normalMap.isTexture&&(n.normalMap=this.normalMap.toJSON(e).uuid,n.normalMapType=this.normalMapType,n.normalScale=this.normalScale.toArray()),this.displacementMap&&this.displacementMap.isTexture&&(n.displacementMap=this.displacementMap.toJSON(e).uuid,n.displacementScale=this.displacementScale,n.displacementBias=this.displacementBias),this.roughnessMap&&this.roughnessMap.isTexture&&(n.roughnessMap=this.roughnessMap.toJSON(e).uuid),this.metalnessMap&&this.metalnessMap.isTexture&&(n.metalnessMap=this.metalnessMap.toJSON(e).uuid),this.emissiveMap&&this.emissiveMap.isTexture&&(n.emissiveMap=this.emissiveMap.toJSON(e).uuid),this.specularMap&&this.specularMap.isTexture&&(n.specularMap=this.specularMap.toJSON(e).uuid),this.specularIntensityMap&&this.specularIntensityMap.isTexture&&(n.specularIntensityMap=this.specularIntensityMap.toJSON(e).uuid),this.specularColorMap&&this.specularColorMap.isTexture&&(n.specularColorMap=this.specularColorMap.toJSON(e).uuid),this.envMap&&this.envMap.isTexture&&(n.envMap=this.envMap.toJSON(e).uuid,this.combine!==void 0&&(n.combine=this.combine)),this.envMapRotation!==void 0&&(n.envMapRotation=this.envMapRotation.toArray()),this.envMapIntensity!==void 0&&(n.envMapIntensity=this.envMapIntensity),this.reflectivity!==void 0&&(n.reflectivity=this.reflectivity),this.refractionRatio!==void 0&&(n.refractionRatio=this.refractionRatio),this.gradientMap&&this.gradientMap.isTexture&&(n.gradientMap=this.gradientMap.toJSON(e).uuid),this.transmission!==void 0&&(n.transmission=this.transmission),this.transmissionMap&&this.transmissionMap.isTexture&&(n.transmissionMap=this.transmissionMap.toJSON(e).uuid),this.thickness!==void 0&&(n.thickness=this.thickness),this.thicknessMap&&this.thicknessMap.isTexture&&(n.thicknessMap=this.thicknessMap.toJSON(e).uuid),this.attenuationDistance!==void 0&&this.attenuationDistance!==1/0&&(n.attenuationDistance=this.attenuationDistance),this.attenuationColor!==void 0&&(n.attenuationColor=this.attenuationColor.getHex()),this.size!==void 0&&(n.size=this.size),this.shadowSide!==null&&(n.shadowSide=this.shadowSide),this.sizeAttenuation!==void 0&&(n.sizeAttenuation=this.sizeAttenuation),this.blending!==ur&&(n.blending=this.blending),this.side!==ts&&(n.side=this.side),this.vertexColors===!0&&(n.vertexColors=!0),this.opacity<1&&(n.opacity=this.opacity),this.transparent===!0&&(n.transparent=!0),this.blendSrc!==Pl&&(n.blendSrc=this.blendSrc),this.blendDst!==Ll&&(n.blendDst=this.blendDst),this.blendEquation!==_s&&(n.blendEquation=this.blendEquation),this.blendSrcAlpha!==null&&(n.blendSrcAlpha=this.blendSrcAlpha),this.blendDstAlpha!==null&&(n.blendDstAlpha=this.blendDstAlpha),this.blendEquationAlpha!==null&&(n.blendEquationAlpha=this.blendEquationAlpha),this.blendColor&&this.blendColor.isColor&&(n.blendColor=this.blendColor.getHex()),this.blendAlpha!==0&&(n.blendAlpha=this.blendAlpha),this.depthFunc!==Yo&&(n.depthFunc=this.depthFunc),this.depthTest===!1&&(n.depthTest=this.depthTest),this.depthWrite===!1&&(n.depthWrite=this.depthWrite),this.colorWrite===!1&&(n.colorWrite=this.colorWrite),this.stencilWriteMask!==255&&(n.stencilWriteMask=this.stencilWriteMask),this.stencilFunc!==Su&&(n.stencilFunc=this.stencilFunc),this.stencilRef!==0&&(n.stencilRef=this.stencilRef),this.stencilFuncMask!==255&&(n.stencilFuncMask=this.stencilFuncMask),this.stencilFail!==Ws&&(n.stencilFail=this.stencilFail),this.stencilZFail!==Ws&&(n.stencilZFail=this.stencilZFail),this.stencilZPass!==Ws&&(n.stencilZPass=this.stencilZPass),this.stencilWrite===!0&&(n.stencilWrite=this.stencilWrite),this.rotation!==void 0&&this.rotation!==0&&(n.rotation=this.rotation),this.polygonOffset===!0&&(n.polygonOffset=!0),this.polygonOffsetFactor!==0&&(n.polygonOffsetFactor=this.polygonOffsetFactor),this.polygonOffsetUnits!==0&&(n.polygonOffsetUnits=this.polygonOffsetUnits),this.linewidth!==void 0&&this.linewidth!==1&&(n.linewidth=this.linewidth),this.dashSize!==void 0&&(n.dashSize=this.dashSize),this.gapSize!==void 0&&(n.gapSize=this.gapSize),this.scale!==void 0&&(n.scale=this.scale),this.dithering===!0&&(n.dithering=!0),this.alphaTest>0&&(n.alphaTest=this.alphaTest),this.alphaHash===!0&&(n.alphaHash=!0),this.alphaToCoverage===!0&&(n.alphaToCoverage=!0),this.premultipliedAlpha===!0&&(n.premultipliedAlpha=!0),this.forceSinglePass===!0&&(n.forceSinglePass=!0),this.wireframe===!0&&(n.wireframe=!0),this.wireframeLinewidth>1&&(n.wireframeLinewidth=this.wireframeLinewidth),this.wireframeLinecap!=="round"&&(n.wireframeLinecap=this.wireframeLinecap),this.wireframeLinejoin!=="round"&&(n.wireframeLinejoin=this.wireframeLinejoin),this.flatShading===!0&&(n.flatShading=!0),this.visible===!1&&(n.visible=!1),this.toneMapped===!1&&(n.toneMapped=!1),this.fog===!1&&(n.fog=!1),Object.keys(this.userData).length>0&&(n.userData=this.userData);function s(r){const o=[];for(const a in r){const l=r[a];delete l.metadata,o.push(l)}return o}if(t){const r=s(e.textures),o=s(e.images);r.length>0&&(n.textures=r),o.length>0&&(n.images=o)}return n}clone(){return new this.constructor().copy(this)}copy(e){this.name=e.name,this.blending=e.blending,this.side=e.side,this.vertexColors=e.vertexColors,this.opacity=e.opacity,this.transparent=e.transparent,this.blendSrc=e.blendSrc,this.blendDst=e.blendDst,this.blendEquation=e.blendEquation,this.blendSrcAlpha=e.blendSrcAlpha,this.blendDstAlpha=e.blendDstAlpha,this.blendEquationAlpha=e.blendEquationAlpha,this.blendColor.copy(e.blendColor),this.blendAlpha=e.blendAlpha,this.depthFunc=e.depthFunc,this.depthTest=e.depthTest,this.depthWrite=e.depthWrite,this.stencilWriteMask=e.stencilWriteMask,this.stencilFunc=e.stencilFunc,this.stencilRef=e.stencilRef,this.stencilFuncMask=e.stencilFuncMask,this.stencilFail=e.stencilFail,this.stencilZFail=e.stencilZFail,this.stencilZPass=e.stencilZPass,this.stencilWrite=e.stencilWrite;const t=e.clippingPlanes;let n=null;if(t!==null){const s=t.length;n=new Array(s);for(let r=0;r!==s;++r)n[r]=t[r].clone()}return this.clippingPlanes=n,this.clipIntersection=e.clipIntersection,this.clipShadows=e.clipShadows,this.shadowSide=e.shadowSide,this.colorWrite=e.colorWrite,this.precision=e.precision,this.polygonOffset=e.polygonOffset,this.polygonOffsetFactor=e.polygonOffsetFactor,this.polygonOffsetUnits=e.polygonOffsetUnits,this.dithering=e.dithering,this.alphaTest=e.alphaTest,this.alphaHash=e.alphaHash,this.alphaToCoverage=e.alphaToCoverage,this.premultipliedAlpha=e.premultipliedAlpha,this.forceSinglePass=e.forceSinglePass,this.visible=e.visible,this.toneMapped=e.toneMapped,this.userData=JSON.parse(JSON.stringify(e.userData)),this}dispose(){this.dispatchEvent({type:"dispose"})}set needsUpdate(e){e===!0&&this.version++}}class Qo extends la{constructor(e){super(),this.isMeshBasicMaterial=!0,this.type="MeshBasicMaterial",this.color=new St(16777215),this.map=null,this.lightMap=null,this.lightMapIntensity=1,this.aoMap=null,this.aoMapIntensity=1,this.specularMap=null,this.alphaMap=null,this.envMap=null,this.envMapRotation=new Ni,this.combine=Lf,this.reflectivity=1,this.refractionRatio=.98,this.wireframe=!1,this.wireframeLinewidth=1,this.wireframeLinecap="round",this.wireframeLinejoin="round",this.fog=!0,this.setValues(e)}copy(e){return super.copy(e),this.color.copy(e.color),this.map=e.map,this.lightMap=e.lightMap,this.lightMapIntensity=e.lightMapIntensity,this.aoMap=e.aoMap,this.aoMapIntensity=e.aoMapIntensity,this.specularMap=e.specularMap,this.alphaMap=e.alphaMap,this.envMap=e.envMap,this.envMapRotation.copy(e.envMapRotation),this.combine=e.combine,this.reflectivity=e.reflectivity,this.refractionRatio=e.refractionRatio,this.wireframe=e.wireframe,this.wireframeLinewidth=e.wireframeLinewidth,this.wireframeLinecap=e.wireframeLinecap,this.wireframeLinejoin=e.wireframeLinejoin,this.fog=e.fog,this}}const Wt=new $,Eo=new ze;class Fn{constructor(e,t,n=!1){if(Array.isArray(e))throw new TypeError("THREE.BufferAttribute: array should be a Typed Array.");this.isBufferAttribute=!0,this.name="",this.array=e,this.itemSize=t,this.count=e!==void 0?e.length/t:0,this.normalized=n,this.usage=yu,this._updateRange={offset:0,count:-1},this.updateRanges=[],this.gpuType=Ji,this.version=0}onUploadCallback(){}set needsUpdate(e){e===!0&&this.version++}get updateRange(){return Vm("THREE.BufferAttribute: updateRange() is deprecated and will be removed in r169. Use addUpdateRange() instead."),this._updateRange}setUsage(e){return this.usage=e,this}addUpdateRange(e,t){this.updateRanges.push({start:e,count:t})}clearUpdateRanges(){this.updateRanges.length=0}copy(e){return this.name=e.name,this.array=new e.array.constructor(e.array),this.itemSize=e.itemSize,this.count=e.count,this.normalized=e.normalized,this.usage=e.usage,this.gpuType=e.gpuType,this}copyAt(e,t,n){e*=this.itemSize,n*=t.itemSize;for(let s=0,r=this.itemSize;s<r;s++)this.array[e+s]=t.array[n+s];return this}copyArray(e){return this.array.set(e),this}applyMatrix3(e){if(this.itemSize===2)for(let t=0,n=this.count;t<n;t++)Eo.fromBufferAttribute(this,t),Eo.applyMatrix3(e),this.setXY(t,Eo.x,Eo.y);else if(this.itemSize===3)for(let t=0,n=this.count;t<n;t++)Wt.fromBufferAttribute(this,t),Wt.applyMatrix3(e),this.setXYZ(t,Wt.x,Wt.y,Wt.z);return this}applyMatrix4(e){for(let t=0,n=this.count;t<n;t++)Wt.fromBufferAttribute(this,t),Wt.applyMatrix4(e),this.setXYZ(t,Wt.x,Wt.y,Wt.z);return this}applyNormalMatrix(e){for(let t=0,n=this.count;t<n;t++)Wt.fromBufferAttribute(this,t),Wt.applyNormalMatrix(e),this.setXYZ(t,Wt.x,Wt.y,Wt.z);return this}transformDirection(e){for(let t=0,n=this.count;t<n;t++)Wt.fromBufferAttribute(this,t),Wt.transformDirection(e),this.setXYZ(t,Wt.x,Wt.y,Wt.z);return this}set(e,t=0){return this.array.set(e,t),this}getComponent(e,t){let n=this.array[e*this.itemSize+t];return this.normalized&&(n=Nr(n,this.array)),n}setComponent(e,t,n){return this.normalized&&(n=En(n,this.array)),this.array[e*this.itemSize+t]=n,this}getX(e){let t=this.array[e*this.itemSize];return this.normalized&&(t=Nr(t,this.array)),t}setX(e,t){return this.normalized&&(t=En(t,this.array)),this.array[e*this.itemSize]=t,this}getY(e){let t=this.array[e*this.itemSize+1];return this.normalized&&(t=Nr(t,this.array)),t}setY(e,t){return this.normalized&&(t=En(t,this.array)),this.array[e*this.itemSize+1]=t,this}getZ(e){let t=this.array[e*this.itemSize+2];return this.normalized&&(t=Nr(t,this.array)),t}setZ(e,t){return this.normalized&&(t=En(t,this.array)),this.array[e*this.itemSize+2]=t,this}getW(e){let t=this.array[e*this.itemSize+3];return this.normalized&&(t=Nr(t,this.array)),t}setW(e,t){return this.normalized&&(t=En(t,this.array)),this.array[e*this.itemSize+3]=t,this}setXY(e,t,n){return e*=this.itemSize,this.normalized&&(t=En(t,this.array),n=En(n,this.array)),this.array[e+0]=t,this.array[e+1]=n,this}setXYZ(e,t,n,s){return e*=this.itemSize,this.normalized&&(t=En(t,this.array),n=En(n,this.array),s=En(s,this.array)),this.array[e+0]=t,this.array[e+1]=n,this.array[e+2]=s,this}setXYZW(e,t,n,s,r){return e*=this.itemSize,this.normalized&&(t=En(t,this.array),n=En(n,this.array),s=En(s,this.array),r=En(r,this.array)),this.array[e+0]=t,this.array[e+1]=n,this.array[e+2]=s,this.array[e+3]=r,this}onUpload(e){return this.onUploadCallback=e,this}clone(){return new this.constructor(this.array,this.itemSize).copy(this)}toJSON(){const e={itemSize:this.itemSize,type:this.array.constructor.name,array:Array.from(this.array),normalized:this.normalized};return this.name!==""&&(e.name=this.name),this.usage!==yu&&(e.usage=this.usage),e}}class Xf extends Fn{constructor(e,t,n){super(new Uint16Array(e),t,n)}}class $f extends Fn{constructor(e,t,n){super(new Uint32Array(e),t,n)}}class kn extends Fn{constructor(e,t,n){super(new Float32Array(e),t,n)}}let ig=0;const Wn=new Bt,sl=new On,er=new $,Un=new io,Br=new io,sn=new $;class Mi extends Rs{constructor(){super(),this.isBufferGeometry=!0,Object.defineProperty(this,"id",{value:ig++}),this.uuid=no(),this.name="",this.type="BufferGeometry",this.index=null,this.attributes={},this.morphAttributes={},this.morphTargetsRelative=!1,this.groups=[],this.boundingBox=null,this.boundingSphere=null,this.drawRange={start:0,count:1/0},this.userData={}}getIndex(){return this.index}setIndex(e){return Array.isArray(e)?this.index=new(Hf(e)?$f:Xf)(e,1):this.index=e,this}getAttribute(e){return this.attributes[e]}setAttribute(e,t){return this.attributes[e]=t,this}deleteAttribute(e){return delete this.attributes[e],this}hasAttribute(e){return this.attributes[e]!==void 0}addGroup(e,t,n=0){this.groups.push({start:e,count:t,materialIndex:n})}clearGroups(){this.groups=[]}setDrawRange(e,t){this.drawRange.start=e,this.drawRange.count=t}applyMatrix4(e){const t=this.attributes.position;t!==void 0&&(t.applyMatrix4(e),t.needsUpdate=!0);const n=this.attributes.normal;if(n!==void 0){const r=new rt().getNormalMatrix(e);n.applyNormalMatrix(r),n.needsUpdate=!0}const s=this.attributes.tangent;return s!==void 0&&(s.transformDirection(e),s.needsUpdate=!0),this.boundingBox!==null&&this.computeBoundingBox(),this.boundingSphere!==null&&this.computeBoundingSphere(),this}applyQuaternion(e){return Wn.makeRotationFromQuaternion(e),this.applyMatrix4(Wn),this}rotateX(e){return Wn.makeRotationX(e),this.applyMatrix4(Wn),this}rotateY(e){return Wn.makeRotationY(e),this.applyMatrix4(Wn),this}rotateZ(e){return Wn.makeRotationZ(e),this.applyMatrix4(Wn),this}translate(e,t,n){return Wn.makeTranslation(e,t,n),this.applyMatrix4(Wn),this}scale(e,t,n){return Wn.makeScale(e,t,n),this.applyMatrix4(Wn),this}lookAt(e){return sl.lookAt(e),sl.updateMatrix(),this.applyMatrix4(sl.matrix),this}center(){return this.computeBoundingBox(),this.boundingBox.getCenter(er).negate(),this.translate(er.x,er.y,er.z),this}setFromPoints(e){const t=[];for(let n=0,s=e.length;n<s;n++){const r=e[n];t.push(r.x,r.y,r.z||0)}return this.setAttribute("position",new kn(t,3)),this}computeBoundingBox(){this.boundingBox===null&&(this.boundingBox=new io);const e=this.attributes.position,t=this.morphAttributes.position;if(e&&e.isGLBufferAttribute){console.error("THREE.BufferGeometry.computeBoundingBox(): GLBufferAttribute requires a manual bounding box.",this),this.boundingBox.set(new $(-1/0,-1/0,-1/0),new $(1/0,1/0,1/0));return}if(e!==void 0){if(this.boundingBox.setFromBufferAttribute(e),t)for(let n=0,s=t.length;n<s;n++){const r=t[n];Un.setFromBufferAttribute(r),this.morphTargetsRelative?(sn.addVectors(this.boundingBox.min,Un.min),this.boundingBox.expandByPoint(sn),sn.addVectors(this.boundingBox.max,Un.max),this.boundingBox.expandByPoint(sn)):(this.boundingBox.expandByPoint(Un.min),this.boundingBox.expandByPoint(Un.max))}}else this.boundingBox.makeEmpty();(isNaN(this.boundingBox.min.x)||isNaN(this.boundingBox.min.y)||isNaN(this.boundingBox.min.z))&&console.error('THREE.BufferGeometry.computeBoundingBox(): Computed min/max have NaN values. The "position" attribute is likely to have NaN values.',this)}computeBoundingSphere(){this.boundingSphere===null&&(this.boundingSphere=new Ql);const e=this.attributes.position,t=this.morphAttributes.position;if(e&&e.isGLBufferAttribute){console.error("THREE.BufferGeometry.computeBoundingSphere(): GLBufferAttribute requires a manual bounding sphere.",this),this.boundingSphere.set(new $,1/0);return}if(e){const n=this.boundingSphere.center;if(Un.setFromBufferAttribute(e),t)for(let r=0,o=t.length;r<o;r++){const a=t[r];Br.setFromBufferAttribute(a),this.morphTargetsRelative?(sn.addVectors(Un.min,Br.min),Un.expandByPoint(sn),sn.addVectors(Un.max,Br.max),Un.expandByPoint(sn)):(Un.expandByPoint(Br.min),Un.expandByPoint(Br.max))}Un.getCenter(n);let s=0;for(let r=0,o=e.count;r<o;r++)sn.fromBufferAttribute(e,r),s=Math.max(s,n.distanceToSquared(sn));if(t)for(let r=0,o=t.length;r<o;r++){const a=t[r],l=this.morphTargetsRelative;for(let c=0,u=a.count;c<u;c++)sn.fromBufferAttribute(a,c),l&&(er.fromBufferAttribute(e,c),sn.add(er)),s=Math.max(s,n.distanceToSquared(sn))}this.boundingSphere.radius=Math.sqrt(s),isNaN(this.boundingSphere.radius)&&console.error('THREE.BufferGeometry.computeBoundingSphere(): Computed radius is NaN. The "position" attribute is likely to have NaN values.',this)}}computeTangents(){const e=this.index,t=this.attributes;if(e===null||t.position===void 0||t.normal===void 0||t.uv===void 0){console.error("THREE.BufferGeometry: .computeTangents() failed. Missing required attributes (index, position, normal or uv)");return}const n=t.position,s=t.normal,r=t.uv;this.hasAttribute("tangent")===!1&&this.setAttribute("tangent",new Fn(new Float32Array(4*n.count),4));const o=this.getAttribute("tangent"),a=[],l=[];for(let z=0;z<n.count;z++)a[z]=new $,l[z]=new $;const c=new $,u=new $,h=new $,f=new ze,m=new ze,_=new ze,v=new $,d=new $;function p(z,b,x){c.fromBufferAttribute(n,z),u.fromBufferAttribute(n,b),h.fromBufferAttribute(n,x),f.fromBufferAttribute(r,z),m.fromBufferAttribute(r,b),_.fromBufferAttribute(r,x),u.sub(c),h.sub(c),m.sub(f),_.sub(f);const N=1/(m.x*_.y-_.x*m.y);isFinite(N)&&(v.copy(u).multiplyScalar(_.y).addScaledVector(h,-m.y).multiplyScalar(N),d.copy(h).multiplyScalar(m.x).addScaledVector(u,-_.x).multiplyScalar(N),a[z].add(v),a[b].add(v),a[x].add(v),l[z].add(d),l[b].add(d),l[x].add(d))}let y=this.groups;y.length===0&&(y=[{start:0,count:e.count}]);for(let z=0,b=y.length;z<b;++z){const x=y[z],N=x.start,G=x.count;for(let U=N,j=N+G;U<j;U+=3)p(e.getX(U+0),e.getX(U+1),e.getX(U+2))}const S=new $,w=new $,H=new $,T=new $;function R(z){H.fromBufferAttribute(s,z),T.copy(H);const b=a[z];S.copy(b),S.sub(H.multiplyScalar(H.dot(b))).normalize(),w.crossVectors(T,b);const N=w.dot(l[z])<0?-1:1;o.setXYZW(z,S.x,S.y,S.z,N)}for(let z=0,b=y.length;z<b;++z){const x=y[z],N=x.start,G=x.count;for(let U=N,j=N+G;U<j;U+=3)R(e.getX(U+0)),R(e.getX(U+1)),R(e.getX(U+2))}}computeVertexNormals(){const e=this.index,t=this.getAttribute("position");if(t!==void 0){let n=this.getAttribute("normal");if(n===void 0)n=new Fn(new Float32Array(t.count*3),3),this.setAttribute("normal",n);else for(let f=0,m=n.count;f<m;f++)n.setXYZ(f,0,0,0);const s=new $,r=new $,o=new $,a=new $,l=new $,c=new $,u=new $,h=new $;if(e)for(let f=0,m=e.count;f<m;f+=3){const _=e.getX(f+0),v=e.getX(f+1),d=e.getX(f+2);s.fromBufferAttribute(t,_),r.fromBufferAttribute(t,v),o.fromBufferAttribute(t,d),u.subVectors(o,r),h.subVectors(s,r),u.cross(h),a.fromBufferAttribute(n,_),l.fromBufferAttribute(n,v),c.fromBufferAttribute(n,d),a.add(u),l.add(u),c.add(u),n.setXYZ(_,a.x,a.y,a.z),n.setXYZ(v,l.x,l.y,l.z),n.setXYZ(d,c.x,c.y,c.z)}else for(let f=0,m=t.count;f<m;f+=3)s.fromBufferAttribute(t,f+0),r.fromBufferAttribute(t,f+1),o.fromBufferAttribute(t,f+2),u.subVectors(o,r),h.subVectors(s,r),u.cross(h),n.setXYZ(f+0,u.x,u.y,u.z),n.setXYZ(f+1,u.x,u.y,u.z),n.setXYZ(f+2,u.x,u.y,u.z);this.normalizeNormals(),n.needsUpdate=!0}}normalizeNormals(){const e=this.attributes.normal;for(let t=0,n=e.count;t<n;t++)sn.fromBufferAttribute(e,t),sn.normalize(),e.setXYZ(t,sn.x,sn.y,sn.z)}toNonIndexed(){function e(a,l){const c=a.array,u=a.itemSize,h=a.normalized,f=new c.constructor(l.length*u);let m=0,_=0;for(let v=0,d=l.length;v<d;v++){a.isInterleavedBufferAttribute?m=l[v]*a.data.stride+a.offset:m=l[v]*u;for(let p=0;p<u;p++)f[_++]=c[m++]}return new Fn(f,u,h)}if(this.index===null)return console.warn("THREE.BufferGeometry.toNonIndexed(): BufferGeometry is already non-indexed."),this;const t=new Mi,n=this.index.array,s=this.attributes;for(const a in s){const l=s[a],c=e(l,n);t.setAttribute(a,c)}const r=this.morphAttributes;for(const a in r){const l=[],c=r[a];for(let u=0,h=c.length;u<h;u++){const f=c[u],m=e(f,n);l.push(m)}t.morphAttributes[a]=l}t.morphTargetsRelative=this.morphTargetsRelative;const o=this.groups;for(let a=0,l=o.length;a<l;a++){const c=o[a];t.addGroup(c.start,c.count,c.materialIndex)}return t}toJSON(){const e={metadata:{version:4.6,type:"BufferGeometry",generator:"BufferGeometry.toJSON"}};if(e.uuid=this.uuid,e.type=this.type,this.name!==""&&(e.name=this.name),Object.keys(this.userData).length>0&&(e.userData=this.userData),this.parameters!==void 0){const l=this.parameters;for(const c in l)l[c]!==void 0&&(e[c]=l[c]);return e}e.data={attributes:{}};const t=this.index;t!==null&&(e.data.index={type:t.array.constructor.name,array:Array.prototype.slice.call(t.array)});const n=this.attributes;for(const l in n){const c=n[l];e.data.attributes[l]=c.toJSON(e.data)}const s={};let r=!1;for(const l in this.morphAttributes){const c=this.morphAttributes[l],u=[];for(let h=0,f=c.length;h<f;h++){const m=c[h];u.push(m.toJSON(e.data))}u.length>0&&(s[l]=u,r=!0)}r&&(e.data.morphAttributes=s,e.data.morphTargetsRelative=this.morphTargetsRelative);const o=this.groups;o.length>0&&(e.data.groups=JSON.parse(JSON.stringify(o)));const a=this.boundingSphere;return a!==null&&(e.data.boundingSphere={center:a.center.toArray(),radius:a.radius}),e}clone(){return new this.constructor().copy(this)}copy(e){this.index=null,this.attributes={},this.morphAttributes={},this.groups=[],this.boundingBox=null,this.boundingSphere=null;const t={};this.name=e.name;const n=e.index;n!==null&&this.setIndex(n.clone(t));const s=e.attributes;for(const c in s){const u=s[c];this.setAttribute(c,u.clone(t))}const r=e.morphAttributes;for(const c in r){const u=[],h=r[c];for(let f=0,m=h.length;f<m;f++)u.push(h[f].clone(t));this.morphAttributes[c]=u}this.morphTargetsRelative=e.morphTargetsRelative;const o=e.groups;for(let c=0,u=o.length;c<u;c++){const h=o[c];this.addGroup(h.start,h.count,h.materialIndex)}const a=e.boundingBox;a!==null&&(this.boundingBox=a.clone());const l=e.boundingSphere;return l!==null&&(this.boundingSphere=l.clone()),this.drawRange.start=e.drawRange.start,this.drawRange.count=e.drawRange.count,this.userData=e.userData,this}dispose(){this.dispatchEvent({type:"dispose"})}}const Ou=new Bt,cs=new ec,bo=new Ql,Fu=new $,tr=new $,nr=new $,ir=new $,rl=new $,wo=new $,To=new ze,Ao=new ze,Ro=new ze,ku=new $,Bu=new $,zu=new $,Co=new $,Po=new $;class Nn extends On{constructor(e=new Mi,t=new Qo){super(),this.isMesh=!0,this.type="Mesh",this.geometry=e,this.material=t,this.updateMorphTargets()}copy(e,t){return super.copy(e,t),e.morphTargetInfluences!==void 0&&(this.morphTargetInfluences=e.morphTargetInfluences.slice()),e.morphTargetDictionary!==void 0&&(this.morphTargetDictionary=Object.assign({},e.morphTargetDictionary)),this.material=Array.isArray(e.material)?e.material.slice():e.material,this.geometry=e.geometry,this}updateMorphTargets(){const t=this.geometry.morphAttributes,n=Object.keys(t);if(n.length>0){const s=t[n[0]];if(s!==void 0){this.morphTargetInfluences=[],this.morphTargetDictionary={};for(let r=0,o=s.length;r<o;r++){const a=s[r].name||String(r);this.morphTargetInfluences.push(0),this.morphTargetDictionary[a]=r}}}}getVertexPosition(e,t){const n=this.geometry,s=n.attributes.position,r=n.morphAttributes.position,o=n.morphTargetsRelative;t.fromBufferAttribute(s,e);const a=this.morphTargetInfluences;if(r&&a){wo.set(0,0,0);for(let l=0,c=r.length;l<c;l++){const u=a[l],h=r[l];u!==0&&(rl.fromBufferAttribute(h,e),o?wo.addScaledVector(rl,u):wo.addScaledVector(rl.sub(t),u))}t.add(wo)}return t}raycast(e,t){const n=this.geometry,s=this.material,r=this.matrixWorld;s!==void 0&&(n.boundingSphere===null&&n.computeBoundingSphere(),bo.copy(n.boundingSphere),bo.applyMatrix4(r),cs.copy(e.ray).recast(e.near),!(bo.containsPoint(cs.origin)===!1&&(cs.intersectSphere(bo,Fu)===null||cs.origin.distanceToSquared(Fu)>(e.far-e.near)**2))&&(Ou.copy(r).invert(),cs.copy(e.ray).applyMatrix4(Ou),!(n.boundingBox!==null&&cs.intersectsBox(n.boundingBox)===!1)&&this._computeIntersections(e,t,cs)))}_computeIntersections(e,t,n){let s;const r=this.geometry,o=this.material,a=r.index,l=r.attributes.position,c=r.attributes.uv,u=r.attributes.uv1,h=r.attributes.normal,f=r.groups,m=r.drawRange;if(a!==null)if(Array.isArray(o))for(let _=0,v=f.length;_<v;_++){const d=f[_],p=o[d.materialIndex],y=Math.max(d.start,m.start),S=Math.min(a.count,Math.min(d.start+d.count,m.start+m.count));for(let w=y,H=S;w<H;w+=3){const T=a.getX(w),R=a.getX(w+1),z=a.getX(w+2);s=Lo(this,p,e,n,c,u,h,T,R,z),s&&(s.faceIndex=Math.floor(w/3),s.face.materialIndex=d.materialIndex,t.push(s))}}else{const _=Math.max(0,m.start),v=Math.min(a.count,m.start+m.count);for(let d=_,p=v;d<p;d+=3){const y=a.getX(d),S=a.getX(d+1),w=a.getX(d+2);s=Lo(this,o,e,n,c,u,h,y,S,w),s&&(s.faceIndex=Math.floor(d/3),t.push(s))}}else if(l!==void 0)if(Array.isArray(o))for(let _=0,v=f.length;_<v;_++){const d=f[_],p=o[d.materialIndex],y=Math.max(d.start,m.start),S=Math.min(l.count,Math.min(d.start+d.count,m.start+m.count));for(let w=y,H=S;w<H;w+=3){const T=w,R=w+1,z=w+2;s=Lo(this,p,e,n,c,u,h,T,R,z),s&&(s.faceIndex=Math.floor(w/3),s.face.materialIndex=d.materialIndex,t.push(s))}}else{const _=Math.max(0,m.start),v=Math.min(l.count,m.start+m.count);for(let d=_,p=v;d<p;d+=3){const y=d,S=d+1,w=d+2;s=Lo(this,o,e,n,c,u,h,y,S,w),s&&(s.faceIndex=Math.floor(d/3),t.push(s))}}}}function sg(i,e,t,n,s,r,o,a){let l;if(e.side===Tn?l=n.intersectTriangle(o,r,s,!0,a):l=n.intersectTriangle(s,r,o,e.side===ts,a),l===null)return null;Po.copy(a),Po.applyMatrix4(i.matrixWorld);const c=t.ray.origin.distanceTo(Po);return c<t.near||c>t.far?null:{distance:c,point:Po.clone(),object:i}}function Lo(i,e,t,n,s,r,o,a,l,c){i.getVertexPosition(a,tr),i.getVertexPosition(l,nr),i.getVertexPosition(c,ir);const u=sg(i,e,t,n,tr,nr,ir,Co);if(u){s&&(To.fromBufferAttribute(s,a),Ao.fromBufferAttribute(s,l),Ro.fromBufferAttribute(s,c),u.uv=gi.getInterpolation(Co,tr,nr,ir,To,Ao,Ro,new ze)),r&&(To.fromBufferAttribute(r,a),Ao.fromBufferAttribute(r,l),Ro.fromBufferAttribute(r,c),u.uv1=gi.getInterpolation(Co,tr,nr,ir,To,Ao,Ro,new ze)),o&&(ku.fromBufferAttribute(o,a),Bu.fromBufferAttribute(o,l),zu.fromBufferAttribute(o,c),u.normal=gi.getInterpolation(Co,tr,nr,ir,ku,Bu,zu,new $),u.normal.dot(n.direction)>0&&u.normal.multiplyScalar(-1));const h={a,b:l,c,normal:new $,materialIndex:0};gi.getNormal(tr,nr,ir,h.normal),u.face=h}return u}class so extends Mi{constructor(e=1,t=1,n=1,s=1,r=1,o=1){super(),this.type="BoxGeometry",this.parameters={width:e,height:t,depth:n,widthSegments:s,heightSegments:r,depthSegments:o};const a=this;s=Math.floor(s),r=Math.floor(r),o=Math.floor(o);const l=[],c=[],u=[],h=[];let f=0,m=0;_("z","y","x",-1,-1,n,t,e,o,r,0),_("z","y","x",1,-1,n,t,-e,o,r,1),_("x","z","y",1,1,e,n,t,s,o,2),_("x","z","y",1,-1,e,n,-t,s,o,3),_("x","y","z",1,-1,e,t,n,s,r,4),_("x","y","z",-1,-1,e,t,-n,s,r,5),this.setIndex(l),this.setAttribute("position",new kn(c,3)),this.setAttribute("normal",new kn(u,3)),this.setAttribute("uv",new kn(h,2));function _(v,d,p,y,S,w,H,T,R,z,b){const x=w/R,N=H/z,G=w/2,U=H/2,j=T/2,X=R+1,ie=z+1;let ee=0,te=0;const K=new $;for(let Y=0;Y<ie;Y++){const fe=Y*N-U;for(let P=0;P<X;P++){const V=P*x-G;K[v]=V*y,K[d]=fe*S,K[p]=j,c.push(K.x,K.y,K.z),K[v]=0,K[d]=0,K[p]=T>0?1:-1,u.push(K.x,K.y,K.z),h.push(P/R),h.push(1-Y/z),ee+=1}}for(let Y=0;Y<z;Y++)for(let fe=0;fe<R;fe++){const P=f+fe+X*Y,V=f+fe+X*(Y+1),I=f+(fe+1)+X*(Y+1),Z=f+(fe+1)+X*Y;l.push(P,V,Z),l.push(V,I,Z),te+=6}a.addGroup(m,te,b),m+=te,f+=ee}}copy(e){return super.copy(e),this.parameters=Object.assign({},e.parameters),this}static fromJSON(e){return new so(e.width,e.height,e.depth,e.widthSegments,e.heightSegments,e.depthSegments)}}function vr(i){const e={};for(const t in i){e[t]={};for(const n in i[t]){const s=i[t][n];s&&(s.isColor||s.isMatrix3||s.isMatrix4||s.isVector2||s.isVector3||s.isVector4||s.isTexture||s.isQuaternion)?s.isRenderTargetTexture?(console.warn("UniformsUtils: Textures of render targets cannot be cloned via cloneUniforms() or mergeUniforms()."),e[t][n]=null):e[t][n]=s.clone():Array.isArray(s)?e[t][n]=s.slice():e[t][n]=s}}return e}function xn(i){const e={};for(let t=0;t<i.length;t++){const n=vr(i[t]);for(const s in n)e[s]=n[s]}return e}function rg(i){const e=[];for(let t=0;t<i.length;t++)e.push(i[t].clone());return e}function Yf(i){const e=i.getRenderTarget();return e===null?i.outputColorSpace:e.isXRRenderTarget===!0?e.texture.colorSpace:vt.workingColorSpace}const og={clone:vr,merge:xn};var ag=`void main() {
	gl_Position = projectionMatrix * modelViewMatrix * vec4( position, 1.0 );
}`,lg=`void main() {
	gl_FragColor = vec4( 1.0, 0.0, 0.0, 1.0 );
}`;class Oi extends la{constructor(e){super(),this.isShaderMaterial=!0,this.type="ShaderMaterial",this.defines={},this.uniforms={},this.uniformsGroups=[],this.vertexShader=ag,this.fragmentShader=lg,this.linewidth=1,this.wireframe=!1,this.wireframeLinewidth=1,this.fog=!1,this.lights=!1,this.clipping=!1,this.forceSinglePass=!0,this.extensions={clipCullDistance:!1,multiDraw:!1},this.defaultAttributeValues={color:[1,1,1],uv:[0,0],uv1:[0,0]},this.index0AttributeName=void 0,this.uniformsNeedUpdate=!1,this.glslVersion=null,e!==void 0&&this.setValues(e)}copy(e){return super.copy(e),this.fragmentShader=e.fragmentShader,this.vertexShader=e.vertexShader,this.uniforms=vr(e.uniforms),this.uniformsGroups=rg(e.uniformsGroups),this.defines=Object.assign({},e.defines),this.wireframe=e.wireframe,this.wireframeLinewidth=e.wireframeLinewidth,this.fog=e.fog,this.lights=e.lights,this.clipping=e.clipping,this.extensions=Object.assign({},e.extensions),this.glslVersion=e.glslVersion,this}toJSON(e){const t=super.toJSON(e);t.glslVersion=this.glslVersion,t.uniforms={};for(const s in this.uniforms){const o=this.uniforms[s].value;o&&o.isTexture?t.uniforms[s]={type:"t",value:o.toJSON(e).uuid}:o&&o.isColor?t.uniforms[s]={type:"c",value:o.getHex()}:o&&o.isVector2?t.uniforms[s]={type:"v2",value:o.toArray()}:o&&o.isVector3?t.uniforms[s]={type:"v3",value:o.toArray()}:o&&o.isVector4?t.uniforms[s]={type:"v4",value:o.toArray()}:o&&o.isMatrix3?t.uniforms[s]={type:"m3",value:o.toArray()}:o&&o.isMatrix4?t.uniforms[s]={type:"m4",value:o.toArray()}:t.uniforms[s]={value:o}}Object.keys(this.defines).length>0&&(t.defines=this.defines),t.vertexShader=this.vertexShader,t.fragmentShader=this.fragmentShader,t.lights=this.lights,t.clipping=this.clipping;const n={};for(const s in this.extensions)this.extensions[s]===!0&&(n[s]=!0);return Object.keys(n).length>0&&(t.extensions=n),t}}class qf extends On{constructor(){super(),this.isCamera=!0,this.type="Camera",this.matrixWorldInverse=new Bt,this.projectionMatrix=new Bt,this.projectionMatrixInverse=new Bt,this.coordinateSystem=Li}copy(e,t){return super.copy(e,t),this.matrixWorldInverse.copy(e.matrixWorldInverse),this.projectionMatrix.copy(e.projectionMatrix),this.projectionMatrixInverse.copy(e.projectionMatrixInverse),this.coordinateSystem=e.coordinateSystem,this}getWorldDirection(e){return super.getWorldDirection(e).negate()}updateMatrixWorld(e){super.updateMatrixWorld(e),this.matrixWorldInverse.copy(this.matrixWorld).invert()}updateWorldMatrix(e,t){super.updateWorldMatrix(e,t),this.matrixWorldInverse.copy(this.matrixWorld).invert()}clone(){return new this.constructor().copy(this)}}const qi=new $,Hu=new ze,Vu=new ze;class Yn extends qf{constructor(e=50,t=1,n=.1,s=2e3){super(),this.isPerspectiveCamera=!0,this.type="PerspectiveCamera",this.fov=e,this.zoom=1,this.near=n,this.far=s,this.focus=10,this.aspect=t,this.view=null,this.filmGauge=35,this.filmOffset=0,this.updateProjectionMatrix()}copy(e,t){return super.copy(e,t),this.fov=e.fov,this.zoom=e.zoom,this.near=e.near,this.far=e.far,this.focus=e.focus,this.aspect=e.aspect,this.view=e.view===null?null:Object.assign({},e.view),this.filmGauge=e.filmGauge,this.filmOffset=e.filmOffset,this}setFocalLength(e){const t=.5*this.getFilmHeight()/e;this.fov=Ol*2*Math.atan(t),this.updateProjectionMatrix()}getFocalLength(){const e=Math.tan(Ho*.5*this.fov);return .5*this.getFilmHeight()/e}getEffectiveFOV(){return Ol*2*Math.atan(Math.tan(Ho*.5*this.fov)/this.zoom)}getFilmWidth(){return this.filmGauge*Math.min(this.aspect,1)}getFilmHeight(){return this.filmGauge/Math.max(this.aspect,1)}getViewBounds(e,t,n){qi.set(-1,-1,.5).applyMatrix4(this.projectionMatrixInverse),t.set(qi.x,qi.y).multiplyScalar(-e/qi.z),qi.set(1,1,.5).applyMatrix4(this.projectionMatrixInverse),n.set(qi.x,qi.y).multiplyScalar(-e/qi.z)}getViewSize(e,t){return this.getViewBounds(e,Hu,Vu),t.subVectors(Vu,Hu)}setViewOffset(e,t,n,s,r,o){this.aspect=e/t,this.view===null&&(this.view={enabled:!0,fullWidth:1,fullHeight:1,offsetX:0,offsetY:0,width:1,height:1}),this.view.enabled=!0,this.view.fullWidth=e,this.view.fullHeight=t,this.view.offsetX=n,this.view.offsetY=s,this.view.width=r,this.view.height=o,this.updateProjectionMatrix()}clearViewOffset(){this.view!==null&&(this.view.enabled=!1),this.updateProjectionMatrix()}updateProjectionMatrix(){const e=this.near;let t=e*Math.tan(Ho*.5*this.fov)/this.zoom,n=2*t,s=this.aspect*n,r=-.5*s;const o=this.view;if(this.view!==null&&this.view.enabled){const l=o.fullWidth,c=o.fullHeight;r+=o.offsetX*s/l,t-=o.offsetY*n/c,s*=o.width/l,n*=o.height/c}const a=this.filmOffset;a!==0&&(r+=e*a/this.getFilmWidth()),this.projectionMatrix.makePerspective(r,r+s,t,t-n,e,this.far,this.coordinateSystem),this.projectionMatrixInverse.copy(this.projectionMatrix).invert()}toJSON(e){const t=super.toJSON(e);return t.object.fov=this.fov,t.object.zoom=this.zoom,t.object.near=this.near,t.object.far=this.far,t.object.focus=this.focus,t.object.aspect=this.aspect,this.view!==null&&(t.object.view=Object.assign({},this.view)),t.object.filmGauge=this.filmGauge,t.object.filmOffset=this.filmOffset,t}}const sr=-90,rr=1;class cg extends On{constructor(e,t,n){super(),this.type="CubeCamera",this.renderTarget=n,this.coordinateSystem=null,this.activeMipmapLevel=0;const s=new Yn(sr,rr,e,t);s.layers=this.layers,this.add(s);const r=new Yn(sr,rr,e,t);r.layers=this.layers,this.add(r);const o=new Yn(sr,rr,e,t);o.layers=this.layers,this.add(o);const a=new Yn(sr,rr,e,t);a.layers=this.layers,this.add(a);const l=new Yn(sr,rr,e,t);l.layers=this.layers,this.add(l);const c=new Yn(sr,rr,e,t);c.layers=this.layers,this.add(c)}updateCoordinateSystem(){const e=this.coordinateSystem,t=this.children.concat(),[n,s,r,o,a,l]=t;for(const c of t)this.remove(c);if(e===Li)n.up.set(0,1,0),n.lookAt(1,0,0),s.up.set(0,1,0),s.lookAt(-1,0,0),r.up.set(0,0,-1),r.lookAt(0,1,0),o.up.set(0,0,1),o.lookAt(0,-1,0),a.up.set(0,1,0),a.lookAt(0,0,1),l.up.set(0,1,0),l.lookAt(0,0,-1);else if(e===Zo)n.up.set(0,-1,0),n.lookAt(-1,0,0),s.up.set(0,-1,0),s.lookAt(1,0,0),r.up.set(0,0,1),r.lookAt(0,1,0),o.up.set(0,0,-1),o.lookAt(0,-1,0),a.up.set(0,-1,0),a.lookAt(0,0,1),l.up.set(0,-1,0),l.lookAt(0,0,-1);else throw new Error("THREE.CubeCamera.updateCoordinateSystem(): Invalid coordinate system: "+e);for(const c of t)this.add(c),c.updateMatrixWorld()}update(e,t){this.parent===null&&this.updateMatrixWorld();const{renderTarget:n,activeMipmapLevel:s}=this;this.coordinateSystem!==e.coordinateSystem&&(this.coordinateSystem=e.coordinateSystem,this.updateCoordinateSystem());const[r,o,a,l,c,u]=this.children,h=e.getRenderTarget(),f=e.getActiveCubeFace(),m=e.getActiveMipmapLevel(),_=e.xr.enabled;e.xr.enabled=!1;const v=n.texture.generateMipmaps;n.texture.generateMipmaps=!1,e.setRenderTarget(n,0,s),e.render(t,r),e.setRenderTarget(n,1,s),e.render(t,o),e.setRenderTarget(n,2,s),e.render(t,a),e.setRenderTarget(n,3,s),e.render(t,l),e.setRenderTarget(n,4,s),e.render(t,c),n.texture.generateMipmaps=v,e.setRenderTarget(n,5,s),e.render(t,u),e.setRenderTarget(h,f,m),e.xr.enabled=_,n.texture.needsPMREMUpdate=!0}}class Kf extends An{constructor(e,t,n,s,r,o,a,l,c,u){e=e!==void 0?e:[],t=t!==void 0?t:mr,super(e,t,n,s,r,o,a,l,c,u),this.isCubeTexture=!0,this.flipY=!1}get images(){return this.image}set images(e){this.image=e}}class ug extends ws{constructor(e=1,t={}){super(e,e,t),this.isWebGLCubeRenderTarget=!0;const n={width:e,height:e,depth:1},s=[n,n,n,n,n,n];this.texture=new Kf(s,t.mapping,t.wrapS,t.wrapT,t.magFilter,t.minFilter,t.format,t.type,t.anisotropy,t.colorSpace),this.texture.isRenderTargetTexture=!0,this.texture.generateMipmaps=t.generateMipmaps!==void 0?t.generateMipmaps:!1,this.texture.minFilter=t.minFilter!==void 0?t.minFilter:oi}fromEquirectangularTexture(e,t){this.texture.type=t.type,this.texture.colorSpace=t.colorSpace,this.texture.generateMipmaps=t.generateMipmaps,this.texture.minFilter=t.minFilter,this.texture.magFilter=t.magFilter;const n={uniforms:{tEquirect:{value:null}},vertexShader:`

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
			`},s=new so(5,5,5),r=new Oi({name:"CubemapFromEquirect",uniforms:vr(n.uniforms),vertexShader:n.vertexShader,fragmentShader:n.fragmentShader,side:Tn,blending:Qi});r.uniforms.tEquirect.value=t;const o=new Nn(s,r),a=t.minFilter;return t.minFilter===ys&&(t.minFilter=oi),new cg(1,10,this).update(e,o),t.minFilter=a,o.geometry.dispose(),o.material.dispose(),this}clear(e,t,n,s){const r=e.getRenderTarget();for(let o=0;o<6;o++)e.setRenderTarget(this,o),e.clear(t,n,s);e.setRenderTarget(r)}}const ol=new $,hg=new $,fg=new rt;class Ki{constructor(e=new $(1,0,0),t=0){this.isPlane=!0,this.normal=e,this.constant=t}set(e,t){return this.normal.copy(e),this.constant=t,this}setComponents(e,t,n,s){return this.normal.set(e,t,n),this.constant=s,this}setFromNormalAndCoplanarPoint(e,t){return this.normal.copy(e),this.constant=-t.dot(this.normal),this}setFromCoplanarPoints(e,t,n){const s=ol.subVectors(n,t).cross(hg.subVectors(e,t)).normalize();return this.setFromNormalAndCoplanarPoint(s,e),this}copy(e){return this.normal.copy(e.normal),this.constant=e.constant,this}normalize(){const e=1/this.normal.length();return this.normal.multiplyScalar(e),this.constant*=e,this}negate(){return this.constant*=-1,this.normal.negate(),this}distanceToPoint(e){return this.normal.dot(e)+this.constant}distanceToSphere(e){return this.distanceToPoint(e.center)-e.radius}projectPoint(e,t){return t.copy(e).addScaledVector(this.normal,-this.distanceToPoint(e))}intersectLine(e,t){const n=e.delta(ol),s=this.normal.dot(n);if(s===0)return this.distanceToPoint(e.start)===0?t.copy(e.start):null;const r=-(e.start.dot(this.normal)+this.constant)/s;return r<0||r>1?null:t.copy(e.start).addScaledVector(n,r)}intersectsLine(e){const t=this.distanceToPoint(e.start),n=this.distanceToPoint(e.end);return t<0&&n>0||n<0&&t>0}intersectsBox(e){return e.intersectsPlane(this)}intersectsSphere(e){return e.intersectsPlane(this)}coplanarPoint(e){return e.copy(this.normal).multiplyScalar(-this.constant)}applyMatrix4(e,t){const n=t||fg.getNormalMatrix(e),s=this.coplanarPoint(ol).applyMatrix4(e),r=this.normal.applyMatrix3(n).normalize();return this.constant=-s.dot(r),this}translate(e){return this.constant-=e.dot(this.normal),this}equals(e){return e.normal.equals(this.normal)&&e.constant===this.constant}clone(){return new this.constructor().copy(this)}}const us=new Ql,Do=new $;class jf{constructor(e=new Ki,t=new Ki,n=new Ki,s=new Ki,r=new Ki,o=new Ki){this.planes=[e,t,n,s,r,o]}set(e,t,n,s,r,o){const a=this.planes;return a[0].copy(e),a[1].copy(t),a[2].copy(n),a[3].copy(s),a[4].copy(r),a[5].copy(o),this}copy(e){const t=this.planes;for(let n=0;n<6;n++)t[n].copy(e.planes[n]);return this}setFromProjectionMatrix(e,t=Li){const n=this.planes,s=e.elements,r=s[0],o=s[1],a=s[2],l=s[3],c=s[4],u=s[5],h=s[6],f=s[7],m=s[8],_=s[9],v=s[10],d=s[11],p=s[12],y=s[13],S=s[14],w=s[15];if(n[0].setComponents(l-r,f-c,d-m,w-p).normalize(),n[1].setComponents(l+r,f+c,d+m,w+p).normalize(),n[2].setComponents(l+o,f+u,d+_,w+y).normalize(),n[3].setComponents(l-o,f-u,d-_,w-y).normalize(),n[4].setComponents(l-a,f-h,d-v,w-S).normalize(),t===Li)n[5].setComponents(l+a,f+h,d+v,w+S).normalize();else if(t===Zo)n[5].setComponents(a,h,v,S).normalize();else throw new Error("THREE.Frustum.setFromProjectionMatrix(): Invalid coordinate system: "+t);return this}intersectsObject(e){if(e.boundingSphere!==void 0)e.boundingSphere===null&&e.computeBoundingSphere(),us.copy(e.boundingSphere).applyMatrix4(e.matrixWorld);else{const t=e.geometry;t.boundingSphere===null&&t.computeBoundingSphere(),us.copy(t.boundingSphere).applyMatrix4(e.matrixWorld)}return this.intersectsSphere(us)}intersectsSprite(e){return us.center.set(0,0,0),us.radius=.7071067811865476,us.applyMatrix4(e.matrixWorld),this.intersectsSphere(us)}intersectsSphere(e){const t=this.planes,n=e.center,s=-e.radius;for(let r=0;r<6;r++)if(t[r].distanceToPoint(n)<s)return!1;return!0}intersectsBox(e){const t=this.planes;for(let n=0;n<6;n++){const s=t[n];if(Do.x=s.normal.x>0?e.max.x:e.min.x,Do.y=s.normal.y>0?e.max.y:e.min.y,Do.z=s.normal.z>0?e.max.z:e.min.z,s.distanceToPoint(Do)<0)return!1}return!0}containsPoint(e){const t=this.planes;for(let n=0;n<6;n++)if(t[n].distanceToPoint(e)<0)return!1;return!0}clone(){return new this.constructor().copy(this)}}function Zf(){let i=null,e=!1,t=null,n=null;function s(r,o){t(r,o),n=i.requestAnimationFrame(s)}return{start:function(){e!==!0&&t!==null&&(n=i.requestAnimationFrame(s),e=!0)},stop:function(){i.cancelAnimationFrame(n),e=!1},setAnimationLoop:function(r){t=r},setContext:function(r){i=r}}}function dg(i){const e=new WeakMap;function t(a,l){const c=a.array,u=a.usage,h=c.byteLength,f=i.createBuffer();i.bindBuffer(l,f),i.bufferData(l,c,u),a.onUploadCallback();let m;if(c instanceof Float32Array)m=i.FLOAT;else if(c instanceof Uint16Array)a.isFloat16BufferAttribute?m=i.HALF_FLOAT:m=i.UNSIGNED_SHORT;else if(c instanceof Int16Array)m=i.SHORT;else if(c instanceof Uint32Array)m=i.UNSIGNED_INT;else if(c instanceof Int32Array)m=i.INT;else if(c instanceof Int8Array)m=i.BYTE;else if(c instanceof Uint8Array)m=i.UNSIGNED_BYTE;else if(c instanceof Uint8ClampedArray)m=i.UNSIGNED_BYTE;else throw new Error("THREE.WebGLAttributes: Unsupported buffer data format: "+c);return{buffer:f,type:m,bytesPerElement:c.BYTES_PER_ELEMENT,version:a.version,size:h}}function n(a,l,c){const u=l.array,h=l._updateRange,f=l.updateRanges;if(i.bindBuffer(c,a),h.count===-1&&f.length===0&&i.bufferSubData(c,0,u),f.length!==0){for(let m=0,_=f.length;m<_;m++){const v=f[m];i.bufferSubData(c,v.start*u.BYTES_PER_ELEMENT,u,v.start,v.count)}l.clearUpdateRanges()}h.count!==-1&&(i.bufferSubData(c,h.offset*u.BYTES_PER_ELEMENT,u,h.offset,h.count),h.count=-1),l.onUploadCallback()}function s(a){return a.isInterleavedBufferAttribute&&(a=a.data),e.get(a)}function r(a){a.isInterleavedBufferAttribute&&(a=a.data);const l=e.get(a);l&&(i.deleteBuffer(l.buffer),e.delete(a))}function o(a,l){if(a.isGLBufferAttribute){const u=e.get(a);(!u||u.version<a.version)&&e.set(a,{buffer:a.buffer,type:a.type,bytesPerElement:a.elementSize,version:a.version});return}a.isInterleavedBufferAttribute&&(a=a.data);const c=e.get(a);if(c===void 0)e.set(a,t(a,l));else if(c.version<a.version){if(c.size!==a.array.byteLength)throw new Error("THREE.WebGLAttributes: The size of the buffer attribute's array buffer does not match the original size. Resizing buffer attributes is not supported.");n(c.buffer,a,l),c.version=a.version}}return{get:s,remove:r,update:o}}class ca extends Mi{constructor(e=1,t=1,n=1,s=1){super(),this.type="PlaneGeometry",this.parameters={width:e,height:t,widthSegments:n,heightSegments:s};const r=e/2,o=t/2,a=Math.floor(n),l=Math.floor(s),c=a+1,u=l+1,h=e/a,f=t/l,m=[],_=[],v=[],d=[];for(let p=0;p<u;p++){const y=p*f-o;for(let S=0;S<c;S++){const w=S*h-r;_.push(w,-y,0),v.push(0,0,1),d.push(S/a),d.push(1-p/l)}}for(let p=0;p<l;p++)for(let y=0;y<a;y++){const S=y+c*p,w=y+c*(p+1),H=y+1+c*(p+1),T=y+1+c*p;m.push(S,w,T),m.push(w,H,T)}this.setIndex(m),this.setAttribute("position",new kn(_,3)),this.setAttribute("normal",new kn(v,3)),this.setAttribute("uv",new kn(d,2))}copy(e){return super.copy(e),this.parameters=Object.assign({},e.parameters),this}static fromJSON(e){return new ca(e.width,e.height,e.widthSegments,e.heightSegments)}}var pg=`#ifdef USE_ALPHAHASH
	if ( diffuseColor.a < getAlphaHashThreshold( vPosition ) ) discard;
#endif`,mg=`#ifdef USE_ALPHAHASH
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
#endif`,gg=`#ifdef USE_ALPHAMAP
	diffuseColor.a *= texture2D( alphaMap, vAlphaMapUv ).g;
#endif`,_g=`#ifdef USE_ALPHAMAP
	uniform sampler2D alphaMap;
#endif`,vg=`#ifdef USE_ALPHATEST
	#ifdef ALPHA_TO_COVERAGE
	diffuseColor.a = smoothstep( alphaTest, alphaTest + fwidth( diffuseColor.a ), diffuseColor.a );
	if ( diffuseColor.a == 0.0 ) discard;
	#else
	if ( diffuseColor.a < alphaTest ) discard;
	#endif
#endif`,xg=`#ifdef USE_ALPHATEST
	uniform float alphaTest;
#endif`,Mg=`#ifdef USE_AOMAP
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
#endif`,Sg=`#ifdef USE_AOMAP
	uniform sampler2D aoMap;
	uniform float aoMapIntensity;
#endif`,yg=`#ifdef USE_BATCHING
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
#endif`,Eg=`#ifdef USE_BATCHING
	mat4 batchingMatrix = getBatchingMatrix( batchId );
#endif`,bg=`vec3 transformed = vec3( position );
#ifdef USE_ALPHAHASH
	vPosition = vec3( position );
#endif`,wg=`vec3 objectNormal = vec3( normal );
#ifdef USE_TANGENT
	vec3 objectTangent = vec3( tangent.xyz );
#endif`,Tg=`float G_BlinnPhong_Implicit( ) {
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
} // validated`,Ag=`#ifdef USE_IRIDESCENCE
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
#endif`,Rg=`#ifdef USE_BUMPMAP
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
#endif`,Cg=`#if NUM_CLIPPING_PLANES > 0
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
#endif`,Pg=`#if NUM_CLIPPING_PLANES > 0
	varying vec3 vClipPosition;
	uniform vec4 clippingPlanes[ NUM_CLIPPING_PLANES ];
#endif`,Lg=`#if NUM_CLIPPING_PLANES > 0
	varying vec3 vClipPosition;
#endif`,Dg=`#if NUM_CLIPPING_PLANES > 0
	vClipPosition = - mvPosition.xyz;
#endif`,Ug=`#if defined( USE_COLOR_ALPHA )
	diffuseColor *= vColor;
#elif defined( USE_COLOR )
	diffuseColor.rgb *= vColor;
#endif`,Ig=`#if defined( USE_COLOR_ALPHA )
	varying vec4 vColor;
#elif defined( USE_COLOR )
	varying vec3 vColor;
#endif`,Ng=`#if defined( USE_COLOR_ALPHA )
	varying vec4 vColor;
#elif defined( USE_COLOR ) || defined( USE_INSTANCING_COLOR )
	varying vec3 vColor;
#endif`,Og=`#if defined( USE_COLOR_ALPHA )
	vColor = vec4( 1.0 );
#elif defined( USE_COLOR ) || defined( USE_INSTANCING_COLOR )
	vColor = vec3( 1.0 );
#endif
#ifdef USE_COLOR
	vColor *= color;
#endif
#ifdef USE_INSTANCING_COLOR
	vColor.xyz *= instanceColor.xyz;
#endif`,Fg=`#define PI 3.141592653589793
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
} // validated`,kg=`#ifdef ENVMAP_TYPE_CUBE_UV
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
#endif`,Bg=`vec3 transformedNormal = objectNormal;
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
#endif`,zg=`#ifdef USE_DISPLACEMENTMAP
	uniform sampler2D displacementMap;
	uniform float displacementScale;
	uniform float displacementBias;
#endif`,Hg=`#ifdef USE_DISPLACEMENTMAP
	transformed += normalize( objectNormal ) * ( texture2D( displacementMap, vDisplacementMapUv ).x * displacementScale + displacementBias );
#endif`,Vg=`#ifdef USE_EMISSIVEMAP
	vec4 emissiveColor = texture2D( emissiveMap, vEmissiveMapUv );
	totalEmissiveRadiance *= emissiveColor.rgb;
#endif`,Gg=`#ifdef USE_EMISSIVEMAP
	uniform sampler2D emissiveMap;
#endif`,Wg="gl_FragColor = linearToOutputTexel( gl_FragColor );",Xg=`
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
}`,$g=`#ifdef USE_ENVMAP
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
#endif`,Yg=`#ifdef USE_ENVMAP
	uniform float envMapIntensity;
	uniform float flipEnvMap;
	uniform mat3 envMapRotation;
	#ifdef ENVMAP_TYPE_CUBE
		uniform samplerCube envMap;
	#else
		uniform sampler2D envMap;
	#endif
	
#endif`,qg=`#ifdef USE_ENVMAP
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
#endif`,Kg=`#ifdef USE_ENVMAP
	#if defined( USE_BUMPMAP ) || defined( USE_NORMALMAP ) || defined( PHONG ) || defined( LAMBERT )
		#define ENV_WORLDPOS
	#endif
	#ifdef ENV_WORLDPOS
		
		varying vec3 vWorldPosition;
	#else
		varying vec3 vReflect;
		uniform float refractionRatio;
	#endif
#endif`,jg=`#ifdef USE_ENVMAP
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
#endif`,Zg=`#ifdef USE_FOG
	vFogDepth = - mvPosition.z;
#endif`,Jg=`#ifdef USE_FOG
	varying float vFogDepth;
#endif`,Qg=`#ifdef USE_FOG
	#ifdef FOG_EXP2
		float fogFactor = 1.0 - exp( - fogDensity * fogDensity * vFogDepth * vFogDepth );
	#else
		float fogFactor = smoothstep( fogNear, fogFar, vFogDepth );
	#endif
	gl_FragColor.rgb = mix( gl_FragColor.rgb, fogColor, fogFactor );
#endif`,e_=`#ifdef USE_FOG
	uniform vec3 fogColor;
	varying float vFogDepth;
	#ifdef FOG_EXP2
		uniform float fogDensity;
	#else
		uniform float fogNear;
		uniform float fogFar;
	#endif
#endif`,t_=`#ifdef USE_GRADIENTMAP
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
}`,n_=`#ifdef USE_LIGHTMAP
	uniform sampler2D lightMap;
	uniform float lightMapIntensity;
#endif`,i_=`LambertMaterial material;
material.diffuseColor = diffuseColor.rgb;
material.specularStrength = specularStrength;`,s_=`varying vec3 vViewPosition;
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
#define RE_IndirectDiffuse		RE_IndirectDiffuse_Lambert`,r_=`uniform bool receiveShadow;
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
#endif`,o_=`#ifdef USE_ENVMAP
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
#endif`,a_=`ToonMaterial material;
material.diffuseColor = diffuseColor.rgb;`,l_=`varying vec3 vViewPosition;
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
#define RE_IndirectDiffuse		RE_IndirectDiffuse_Toon`,c_=`BlinnPhongMaterial material;
material.diffuseColor = diffuseColor.rgb;
material.specularColor = specular;
material.specularShininess = shininess;
material.specularStrength = specularStrength;`,u_=`varying vec3 vViewPosition;
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
#define RE_IndirectDiffuse		RE_IndirectDiffuse_BlinnPhong`,h_=`PhysicalMaterial material;
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
#endif`,f_=`struct PhysicalMaterial {
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
}`,d_=`
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
#endif`,p_=`#if defined( RE_IndirectDiffuse )
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
#endif`,m_=`#if defined( RE_IndirectDiffuse )
	RE_IndirectDiffuse( irradiance, geometryPosition, geometryNormal, geometryViewDir, geometryClearcoatNormal, material, reflectedLight );
#endif
#if defined( RE_IndirectSpecular )
	RE_IndirectSpecular( radiance, iblIrradiance, clearcoatRadiance, geometryPosition, geometryNormal, geometryViewDir, geometryClearcoatNormal, material, reflectedLight );
#endif`,g_=`#if defined( USE_LOGDEPTHBUF )
	gl_FragDepth = vIsPerspective == 0.0 ? gl_FragCoord.z : log2( vFragDepth ) * logDepthBufFC * 0.5;
#endif`,__=`#if defined( USE_LOGDEPTHBUF )
	uniform float logDepthBufFC;
	varying float vFragDepth;
	varying float vIsPerspective;
#endif`,v_=`#ifdef USE_LOGDEPTHBUF
	varying float vFragDepth;
	varying float vIsPerspective;
#endif`,x_=`#ifdef USE_LOGDEPTHBUF
	vFragDepth = 1.0 + gl_Position.w;
	vIsPerspective = float( isPerspectiveMatrix( projectionMatrix ) );
#endif`,M_=`#ifdef USE_MAP
	vec4 sampledDiffuseColor = texture2D( map, vMapUv );
	#ifdef DECODE_VIDEO_TEXTURE
		sampledDiffuseColor = vec4( mix( pow( sampledDiffuseColor.rgb * 0.9478672986 + vec3( 0.0521327014 ), vec3( 2.4 ) ), sampledDiffuseColor.rgb * 0.0773993808, vec3( lessThanEqual( sampledDiffuseColor.rgb, vec3( 0.04045 ) ) ) ), sampledDiffuseColor.w );
	
	#endif
	diffuseColor *= sampledDiffuseColor;
#endif`,S_=`#ifdef USE_MAP
	uniform sampler2D map;
#endif`,y_=`#if defined( USE_MAP ) || defined( USE_ALPHAMAP )
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
#endif`,E_=`#if defined( USE_POINTS_UV )
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
#endif`,b_=`float metalnessFactor = metalness;
#ifdef USE_METALNESSMAP
	vec4 texelMetalness = texture2D( metalnessMap, vMetalnessMapUv );
	metalnessFactor *= texelMetalness.b;
#endif`,w_=`#ifdef USE_METALNESSMAP
	uniform sampler2D metalnessMap;
#endif`,T_=`#ifdef USE_INSTANCING_MORPH
	float morphTargetInfluences[MORPHTARGETS_COUNT];
	float morphTargetBaseInfluence = texelFetch( morphTexture, ivec2( 0, gl_InstanceID ), 0 ).r;
	for ( int i = 0; i < MORPHTARGETS_COUNT; i ++ ) {
		morphTargetInfluences[i] =  texelFetch( morphTexture, ivec2( i + 1, gl_InstanceID ), 0 ).r;
	}
#endif`,A_=`#if defined( USE_MORPHCOLORS ) && defined( MORPHTARGETS_TEXTURE )
	vColor *= morphTargetBaseInfluence;
	for ( int i = 0; i < MORPHTARGETS_COUNT; i ++ ) {
		#if defined( USE_COLOR_ALPHA )
			if ( morphTargetInfluences[ i ] != 0.0 ) vColor += getMorph( gl_VertexID, i, 2 ) * morphTargetInfluences[ i ];
		#elif defined( USE_COLOR )
			if ( morphTargetInfluences[ i ] != 0.0 ) vColor += getMorph( gl_VertexID, i, 2 ).rgb * morphTargetInfluences[ i ];
		#endif
	}
#endif`,R_=`#ifdef USE_MORPHNORMALS
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
#endif`,C_=`#ifdef USE_MORPHTARGETS
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
#endif`,P_=`#ifdef USE_MORPHTARGETS
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
#endif`,L_=`float faceDirection = gl_FrontFacing ? 1.0 : - 1.0;
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
vec3 nonPerturbedNormal = normal;`,D_=`#ifdef USE_NORMALMAP_OBJECTSPACE
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
#endif`,U_=`#ifndef FLAT_SHADED
	varying vec3 vNormal;
	#ifdef USE_TANGENT
		varying vec3 vTangent;
		varying vec3 vBitangent;
	#endif
#endif`,I_=`#ifndef FLAT_SHADED
	varying vec3 vNormal;
	#ifdef USE_TANGENT
		varying vec3 vTangent;
		varying vec3 vBitangent;
	#endif
#endif`,N_=`#ifndef FLAT_SHADED
	vNormal = normalize( transformedNormal );
	#ifdef USE_TANGENT
		vTangent = normalize( transformedTangent );
		vBitangent = normalize( cross( vNormal, vTangent ) * tangent.w );
	#endif
#endif`,O_=`#ifdef USE_NORMALMAP
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
#endif`,F_=`#ifdef USE_CLEARCOAT
	vec3 clearcoatNormal = nonPerturbedNormal;
#endif`,k_=`#ifdef USE_CLEARCOAT_NORMALMAP
	vec3 clearcoatMapN = texture2D( clearcoatNormalMap, vClearcoatNormalMapUv ).xyz * 2.0 - 1.0;
	clearcoatMapN.xy *= clearcoatNormalScale;
	clearcoatNormal = normalize( tbn2 * clearcoatMapN );
#endif`,B_=`#ifdef USE_CLEARCOATMAP
	uniform sampler2D clearcoatMap;
#endif
#ifdef USE_CLEARCOAT_NORMALMAP
	uniform sampler2D clearcoatNormalMap;
	uniform vec2 clearcoatNormalScale;
#endif
#ifdef USE_CLEARCOAT_ROUGHNESSMAP
	uniform sampler2D clearcoatRoughnessMap;
#endif`,z_=`#ifdef USE_IRIDESCENCEMAP
	uniform sampler2D iridescenceMap;
#endif
#ifdef USE_IRIDESCENCE_THICKNESSMAP
	uniform sampler2D iridescenceThicknessMap;
#endif`,H_=`#ifdef OPAQUE
diffuseColor.a = 1.0;
#endif
#ifdef USE_TRANSMISSION
diffuseColor.a *= material.transmissionAlpha;
#endif
gl_FragColor = vec4( outgoingLight, diffuseColor.a );`,V_=`vec3 packNormalToRGB( const in vec3 normal ) {
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
}`,G_=`#ifdef PREMULTIPLIED_ALPHA
	gl_FragColor.rgb *= gl_FragColor.a;
#endif`,W_=`vec4 mvPosition = vec4( transformed, 1.0 );
#ifdef USE_BATCHING
	mvPosition = batchingMatrix * mvPosition;
#endif
#ifdef USE_INSTANCING
	mvPosition = instanceMatrix * mvPosition;
#endif
mvPosition = modelViewMatrix * mvPosition;
gl_Position = projectionMatrix * mvPosition;`,X_=`#ifdef DITHERING
	gl_FragColor.rgb = dithering( gl_FragColor.rgb );
#endif`,$_=`#ifdef DITHERING
	vec3 dithering( vec3 color ) {
		float grid_position = rand( gl_FragCoord.xy );
		vec3 dither_shift_RGB = vec3( 0.25 / 255.0, -0.25 / 255.0, 0.25 / 255.0 );
		dither_shift_RGB = mix( 2.0 * dither_shift_RGB, -2.0 * dither_shift_RGB, grid_position );
		return color + dither_shift_RGB;
	}
#endif`,Y_=`float roughnessFactor = roughness;
#ifdef USE_ROUGHNESSMAP
	vec4 texelRoughness = texture2D( roughnessMap, vRoughnessMapUv );
	roughnessFactor *= texelRoughness.g;
#endif`,q_=`#ifdef USE_ROUGHNESSMAP
	uniform sampler2D roughnessMap;
#endif`,K_=`#if NUM_SPOT_LIGHT_COORDS > 0
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
#endif`,j_=`#if NUM_SPOT_LIGHT_COORDS > 0
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
#endif`,Z_=`#if ( defined( USE_SHADOWMAP ) && ( NUM_DIR_LIGHT_SHADOWS > 0 || NUM_POINT_LIGHT_SHADOWS > 0 ) ) || ( NUM_SPOT_LIGHT_COORDS > 0 )
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
#endif`,J_=`float getShadowMask() {
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
}`,Q_=`#ifdef USE_SKINNING
	mat4 boneMatX = getBoneMatrix( skinIndex.x );
	mat4 boneMatY = getBoneMatrix( skinIndex.y );
	mat4 boneMatZ = getBoneMatrix( skinIndex.z );
	mat4 boneMatW = getBoneMatrix( skinIndex.w );
#endif`,e0=`#ifdef USE_SKINNING
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
#endif`,t0=`#ifdef USE_SKINNING
	vec4 skinVertex = bindMatrix * vec4( transformed, 1.0 );
	vec4 skinned = vec4( 0.0 );
	skinned += boneMatX * skinVertex * skinWeight.x;
	skinned += boneMatY * skinVertex * skinWeight.y;
	skinned += boneMatZ * skinVertex * skinWeight.z;
	skinned += boneMatW * skinVertex * skinWeight.w;
	transformed = ( bindMatrixInverse * skinned ).xyz;
#endif`,n0=`#ifdef USE_SKINNING
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
#endif`,i0=`float specularStrength;
#ifdef USE_SPECULARMAP
	vec4 texelSpecular = texture2D( specularMap, vSpecularMapUv );
	specularStrength = texelSpecular.r;
#else
	specularStrength = 1.0;
#endif`,s0=`#ifdef USE_SPECULARMAP
	uniform sampler2D specularMap;
#endif`,r0=`#if defined( TONE_MAPPING )
	gl_FragColor.rgb = toneMapping( gl_FragColor.rgb );
#endif`,o0=`#ifndef saturate
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
vec3 CustomToneMapping( vec3 color ) { return color; }`,a0=`#ifdef USE_TRANSMISSION
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
#endif`,l0=`#ifdef USE_TRANSMISSION
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
#endif`,c0=`#if defined( USE_UV ) || defined( USE_ANISOTROPY )
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
#endif`,u0=`#if defined( USE_UV ) || defined( USE_ANISOTROPY )
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
#endif`,h0=`#if defined( USE_UV ) || defined( USE_ANISOTROPY )
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
#endif`,f0=`#if defined( USE_ENVMAP ) || defined( DISTANCE ) || defined ( USE_SHADOWMAP ) || defined ( USE_TRANSMISSION ) || NUM_SPOT_LIGHT_COORDS > 0
	vec4 worldPosition = vec4( transformed, 1.0 );
	#ifdef USE_BATCHING
		worldPosition = batchingMatrix * worldPosition;
	#endif
	#ifdef USE_INSTANCING
		worldPosition = instanceMatrix * worldPosition;
	#endif
	worldPosition = modelMatrix * worldPosition;
#endif`;const d0=`varying vec2 vUv;
uniform mat3 uvTransform;
void main() {
	vUv = ( uvTransform * vec3( uv, 1 ) ).xy;
	gl_Position = vec4( position.xy, 1.0, 1.0 );
}`,p0=`uniform sampler2D t2D;
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
}`,m0=`varying vec3 vWorldDirection;
#include <common>
void main() {
	vWorldDirection = transformDirection( position, modelMatrix );
	#include <begin_vertex>
	#include <project_vertex>
	gl_Position.z = gl_Position.w;
}`,g0=`#ifdef ENVMAP_TYPE_CUBE
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
}`,_0=`varying vec3 vWorldDirection;
#include <common>
void main() {
	vWorldDirection = transformDirection( position, modelMatrix );
	#include <begin_vertex>
	#include <project_vertex>
	gl_Position.z = gl_Position.w;
}`,v0=`uniform samplerCube tCube;
uniform float tFlip;
uniform float opacity;
varying vec3 vWorldDirection;
void main() {
	vec4 texColor = textureCube( tCube, vec3( tFlip * vWorldDirection.x, vWorldDirection.yz ) );
	gl_FragColor = texColor;
	gl_FragColor.a *= opacity;
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
}`,x0=`#include <common>
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
}`,M0=`#if DEPTH_PACKING == 3200
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
}`,S0=`#define DISTANCE
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
}`,y0=`#define DISTANCE
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
}`,E0=`varying vec3 vWorldDirection;
#include <common>
void main() {
	vWorldDirection = transformDirection( position, modelMatrix );
	#include <begin_vertex>
	#include <project_vertex>
}`,b0=`uniform sampler2D tEquirect;
varying vec3 vWorldDirection;
#include <common>
void main() {
	vec3 direction = normalize( vWorldDirection );
	vec2 sampleUV = equirectUv( direction );
	gl_FragColor = texture2D( tEquirect, sampleUV );
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
}`,w0=`uniform float scale;
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
}`,T0=`uniform vec3 diffuse;
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
}`,A0=`#include <common>
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
}`,R0=`uniform vec3 diffuse;
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
}`,C0=`#define LAMBERT
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
}`,P0=`#define LAMBERT
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
}`,L0=`#define MATCAP
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
}`,D0=`#define MATCAP
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
}`,U0=`#define NORMAL
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
}`,I0=`#define NORMAL
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
}`,N0=`#define PHONG
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
}`,O0=`#define PHONG
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
}`,F0=`#define STANDARD
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
}`,k0=`#define STANDARD
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
}`,B0=`#define TOON
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
}`,z0=`#define TOON
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
}`,H0=`uniform float size;
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
}`,V0=`uniform vec3 diffuse;
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
}`,G0=`#include <common>
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
}`,W0=`uniform vec3 color;
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
}`,X0=`uniform float rotation;
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
}`,$0=`uniform vec3 diffuse;
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
}`,st={alphahash_fragment:pg,alphahash_pars_fragment:mg,alphamap_fragment:gg,alphamap_pars_fragment:_g,alphatest_fragment:vg,alphatest_pars_fragment:xg,aomap_fragment:Mg,aomap_pars_fragment:Sg,batching_pars_vertex:yg,batching_vertex:Eg,begin_vertex:bg,beginnormal_vertex:wg,bsdfs:Tg,iridescence_fragment:Ag,bumpmap_pars_fragment:Rg,clipping_planes_fragment:Cg,clipping_planes_pars_fragment:Pg,clipping_planes_pars_vertex:Lg,clipping_planes_vertex:Dg,color_fragment:Ug,color_pars_fragment:Ig,color_pars_vertex:Ng,color_vertex:Og,common:Fg,cube_uv_reflection_fragment:kg,defaultnormal_vertex:Bg,displacementmap_pars_vertex:zg,displacementmap_vertex:Hg,emissivemap_fragment:Vg,emissivemap_pars_fragment:Gg,colorspace_fragment:Wg,colorspace_pars_fragment:Xg,envmap_fragment:$g,envmap_common_pars_fragment:Yg,envmap_pars_fragment:qg,envmap_pars_vertex:Kg,envmap_physical_pars_fragment:o_,envmap_vertex:jg,fog_vertex:Zg,fog_pars_vertex:Jg,fog_fragment:Qg,fog_pars_fragment:e_,gradientmap_pars_fragment:t_,lightmap_pars_fragment:n_,lights_lambert_fragment:i_,lights_lambert_pars_fragment:s_,lights_pars_begin:r_,lights_toon_fragment:a_,lights_toon_pars_fragment:l_,lights_phong_fragment:c_,lights_phong_pars_fragment:u_,lights_physical_fragment:h_,lights_physical_pars_fragment:f_,lights_fragment_begin:d_,lights_fragment_maps:p_,lights_fragment_end:m_,logdepthbuf_fragment:g_,logdepthbuf_pars_fragment:__,logdepthbuf_pars_vertex:v_,logdepthbuf_vertex:x_,map_fragment:M_,map_pars_fragment:S_,map_particle_fragment:y_,map_particle_pars_fragment:E_,metalnessmap_fragment:b_,metalnessmap_pars_fragment:w_,morphinstance_vertex:T_,morphcolor_vertex:A_,morphnormal_vertex:R_,morphtarget_pars_vertex:C_,morphtarget_vertex:P_,normal_fragment_begin:L_,normal_fragment_maps:D_,normal_pars_fragment:U_,normal_pars_vertex:I_,normal_vertex:N_,normalmap_pars_fragment:O_,clearcoat_normal_fragment_begin:F_,clearcoat_normal_fragment_maps:k_,clearcoat_pars_fragment:B_,iridescence_pars_fragment:z_,opaque_fragment:H_,packing:V_,premultiplied_alpha_fragment:G_,project_vertex:W_,dithering_fragment:X_,dithering_pars_fragment:$_,roughnessmap_fragment:Y_,roughnessmap_pars_fragment:q_,shadowmap_pars_fragment:K_,shadowmap_pars_vertex:j_,shadowmap_vertex:Z_,shadowmask_pars_fragment:J_,skinbase_vertex:Q_,skinning_pars_vertex:e0,skinning_vertex:t0,skinnormal_vertex:n0,specularmap_fragment:i0,specularmap_pars_fragment:s0,tonemapping_fragment:r0,tonemapping_pars_fragment:o0,transmission_fragment:a0,transmission_pars_fragment:l0,uv_pars_fragment:c0,uv_pars_vertex:u0,uv_vertex:h0,worldpos_vertex:f0,background_vert:d0,background_frag:p0,backgroundCube_vert:m0,backgroundCube_frag:g0,cube_vert:_0,cube_frag:v0,depth_vert:x0,depth_frag:M0,distanceRGBA_vert:S0,distanceRGBA_frag:y0,equirect_vert:E0,equirect_frag:b0,linedashed_vert:w0,linedashed_frag:T0,meshbasic_vert:A0,meshbasic_frag:R0,meshlambert_vert:C0,meshlambert_frag:P0,meshmatcap_vert:L0,meshmatcap_frag:D0,meshnormal_vert:U0,meshnormal_frag:I0,meshphong_vert:N0,meshphong_frag:O0,meshphysical_vert:F0,meshphysical_frag:k0,meshtoon_vert:B0,meshtoon_frag:z0,points_vert:H0,points_frag:V0,shadow_vert:G0,shadow_frag:W0,sprite_vert:X0,sprite_frag:$0},Ue={common:{diffuse:{value:new St(16777215)},opacity:{value:1},map:{value:null},mapTransform:{value:new rt},alphaMap:{value:null},alphaMapTransform:{value:new rt},alphaTest:{value:0}},specularmap:{specularMap:{value:null},specularMapTransform:{value:new rt}},envmap:{envMap:{value:null},envMapRotation:{value:new rt},flipEnvMap:{value:-1},reflectivity:{value:1},ior:{value:1.5},refractionRatio:{value:.98}},aomap:{aoMap:{value:null},aoMapIntensity:{value:1},aoMapTransform:{value:new rt}},lightmap:{lightMap:{value:null},lightMapIntensity:{value:1},lightMapTransform:{value:new rt}},bumpmap:{bumpMap:{value:null},bumpMapTransform:{value:new rt},bumpScale:{value:1}},normalmap:{normalMap:{value:null},normalMapTransform:{value:new rt},normalScale:{value:new ze(1,1)}},displacementmap:{displacementMap:{value:null},displacementMapTransform:{value:new rt},displacementScale:{value:1},displacementBias:{value:0}},emissivemap:{emissiveMap:{value:null},emissiveMapTransform:{value:new rt}},metalnessmap:{metalnessMap:{value:null},metalnessMapTransform:{value:new rt}},roughnessmap:{roughnessMap:{value:null},roughnessMapTransform:{value:new rt}},gradientmap:{gradientMap:{value:null}},fog:{fogDensity:{value:25e-5},fogNear:{value:1},fogFar:{value:2e3},fogColor:{value:new St(16777215)}},lights:{ambientLightColor:{value:[]},lightProbe:{value:[]},directionalLights:{value:[],properties:{direction:{},color:{}}},directionalLightShadows:{value:[],properties:{shadowBias:{},shadowNormalBias:{},shadowRadius:{},shadowMapSize:{}}},directionalShadowMap:{value:[]},directionalShadowMatrix:{value:[]},spotLights:{value:[],properties:{color:{},position:{},direction:{},distance:{},coneCos:{},penumbraCos:{},decay:{}}},spotLightShadows:{value:[],properties:{shadowBias:{},shadowNormalBias:{},shadowRadius:{},shadowMapSize:{}}},spotLightMap:{value:[]},spotShadowMap:{value:[]},spotLightMatrix:{value:[]},pointLights:{value:[],properties:{color:{},position:{},decay:{},distance:{}}},pointLightShadows:{value:[],properties:{shadowBias:{},shadowNormalBias:{},shadowRadius:{},shadowMapSize:{},shadowCameraNear:{},shadowCameraFar:{}}},pointShadowMap:{value:[]},pointShadowMatrix:{value:[]},hemisphereLights:{value:[],properties:{direction:{},skyColor:{},groundColor:{}}},rectAreaLights:{value:[],properties:{color:{},position:{},width:{},height:{}}},ltc_1:{value:null},ltc_2:{value:null}},points:{diffuse:{value:new St(16777215)},opacity:{value:1},size:{value:1},scale:{value:1},map:{value:null},alphaMap:{value:null},alphaMapTransform:{value:new rt},alphaTest:{value:0},uvTransform:{value:new rt}},sprite:{diffuse:{value:new St(16777215)},opacity:{value:1},center:{value:new ze(.5,.5)},rotation:{value:0},map:{value:null},mapTransform:{value:new rt},alphaMap:{value:null},alphaMapTransform:{value:new rt},alphaTest:{value:0}}},pi={basic:{uniforms:xn([Ue.common,Ue.specularmap,Ue.envmap,Ue.aomap,Ue.lightmap,Ue.fog]),vertexShader:st.meshbasic_vert,fragmentShader:st.meshbasic_frag},lambert:{uniforms:xn([Ue.common,Ue.specularmap,Ue.envmap,Ue.aomap,Ue.lightmap,Ue.emissivemap,Ue.bumpmap,Ue.normalmap,Ue.displacementmap,Ue.fog,Ue.lights,{emissive:{value:new St(0)}}]),vertexShader:st.meshlambert_vert,fragmentShader:st.meshlambert_frag},phong:{uniforms:xn([Ue.common,Ue.specularmap,Ue.envmap,Ue.aomap,Ue.lightmap,Ue.emissivemap,Ue.bumpmap,Ue.normalmap,Ue.displacementmap,Ue.fog,Ue.lights,{emissive:{value:new St(0)},specular:{value:new St(1118481)},shininess:{value:30}}]),vertexShader:st.meshphong_vert,fragmentShader:st.meshphong_frag},standard:{uniforms:xn([Ue.common,Ue.envmap,Ue.aomap,Ue.lightmap,Ue.emissivemap,Ue.bumpmap,Ue.normalmap,Ue.displacementmap,Ue.roughnessmap,Ue.metalnessmap,Ue.fog,Ue.lights,{emissive:{value:new St(0)},roughness:{value:1},metalness:{value:0},envMapIntensity:{value:1}}]),vertexShader:st.meshphysical_vert,fragmentShader:st.meshphysical_frag},toon:{uniforms:xn([Ue.common,Ue.aomap,Ue.lightmap,Ue.emissivemap,Ue.bumpmap,Ue.normalmap,Ue.displacementmap,Ue.gradientmap,Ue.fog,Ue.lights,{emissive:{value:new St(0)}}]),vertexShader:st.meshtoon_vert,fragmentShader:st.meshtoon_frag},matcap:{uniforms:xn([Ue.common,Ue.bumpmap,Ue.normalmap,Ue.displacementmap,Ue.fog,{matcap:{value:null}}]),vertexShader:st.meshmatcap_vert,fragmentShader:st.meshmatcap_frag},points:{uniforms:xn([Ue.points,Ue.fog]),vertexShader:st.points_vert,fragmentShader:st.points_frag},dashed:{uniforms:xn([Ue.common,Ue.fog,{scale:{value:1},dashSize:{value:1},totalSize:{value:2}}]),vertexShader:st.linedashed_vert,fragmentShader:st.linedashed_frag},depth:{uniforms:xn([Ue.common,Ue.displacementmap]),vertexShader:st.depth_vert,fragmentShader:st.depth_frag},normal:{uniforms:xn([Ue.common,Ue.bumpmap,Ue.normalmap,Ue.displacementmap,{opacity:{value:1}}]),vertexShader:st.meshnormal_vert,fragmentShader:st.meshnormal_frag},sprite:{uniforms:xn([Ue.sprite,Ue.fog]),vertexShader:st.sprite_vert,fragmentShader:st.sprite_frag},background:{uniforms:{uvTransform:{value:new rt},t2D:{value:null},backgroundIntensity:{value:1}},vertexShader:st.background_vert,fragmentShader:st.background_frag},backgroundCube:{uniforms:{envMap:{value:null},flipEnvMap:{value:-1},backgroundBlurriness:{value:0},backgroundIntensity:{value:1},backgroundRotation:{value:new rt}},vertexShader:st.backgroundCube_vert,fragmentShader:st.backgroundCube_frag},cube:{uniforms:{tCube:{value:null},tFlip:{value:-1},opacity:{value:1}},vertexShader:st.cube_vert,fragmentShader:st.cube_frag},equirect:{uniforms:{tEquirect:{value:null}},vertexShader:st.equirect_vert,fragmentShader:st.equirect_frag},distanceRGBA:{uniforms:xn([Ue.common,Ue.displacementmap,{referencePosition:{value:new $},nearDistance:{value:1},farDistance:{value:1e3}}]),vertexShader:st.distanceRGBA_vert,fragmentShader:st.distanceRGBA_frag},shadow:{uniforms:xn([Ue.lights,Ue.fog,{color:{value:new St(0)},opacity:{value:1}}]),vertexShader:st.shadow_vert,fragmentShader:st.shadow_frag}};pi.physical={uniforms:xn([pi.standard.uniforms,{clearcoat:{value:0},clearcoatMap:{value:null},clearcoatMapTransform:{value:new rt},clearcoatNormalMap:{value:null},clearcoatNormalMapTransform:{value:new rt},clearcoatNormalScale:{value:new ze(1,1)},clearcoatRoughness:{value:0},clearcoatRoughnessMap:{value:null},clearcoatRoughnessMapTransform:{value:new rt},dispersion:{value:0},iridescence:{value:0},iridescenceMap:{value:null},iridescenceMapTransform:{value:new rt},iridescenceIOR:{value:1.3},iridescenceThicknessMinimum:{value:100},iridescenceThicknessMaximum:{value:400},iridescenceThicknessMap:{value:null},iridescenceThicknessMapTransform:{value:new rt},sheen:{value:0},sheenColor:{value:new St(0)},sheenColorMap:{value:null},sheenColorMapTransform:{value:new rt},sheenRoughness:{value:1},sheenRoughnessMap:{value:null},sheenRoughnessMapTransform:{value:new rt},transmission:{value:0},transmissionMap:{value:null},transmissionMapTransform:{value:new rt},transmissionSamplerSize:{value:new ze},transmissionSamplerMap:{value:null},thickness:{value:0},thicknessMap:{value:null},thicknessMapTransform:{value:new rt},attenuationDistance:{value:0},attenuationColor:{value:new St(0)},specularColor:{value:new St(1,1,1)},specularColorMap:{value:null},specularColorMapTransform:{value:new rt},specularIntensity:{value:1},specularIntensityMap:{value:null},specularIntensityMapTransform:{value:new rt},anisotropyVector:{value:new ze},anisotropyMap:{value:null},anisotropyMapTransform:{value:new rt}}]),vertexShader:st.meshphysical_vert,fragmentShader:st.meshphysical_frag};const Uo={r:0,b:0,g:0},hs=new Ni,Y0=new Bt;function q0(i,e,t,n,s,r,o){const a=new St(0);let l=r===!0?0:1,c,u,h=null,f=0,m=null;function _(y){let S=y.isScene===!0?y.background:null;return S&&S.isTexture&&(S=(y.backgroundBlurriness>0?t:e).get(S)),S}function v(y){let S=!1;const w=_(y);w===null?p(a,l):w&&w.isColor&&(p(w,1),S=!0);const H=i.xr.getEnvironmentBlendMode();H==="additive"?n.buffers.color.setClear(0,0,0,1,o):H==="alpha-blend"&&n.buffers.color.setClear(0,0,0,0,o),(i.autoClear||S)&&i.clear(i.autoClearColor,i.autoClearDepth,i.autoClearStencil)}function d(y,S){const w=_(S);w&&(w.isCubeTexture||w.mapping===ra)?(u===void 0&&(u=new Nn(new so(1,1,1),new Oi({name:"BackgroundCubeMaterial",uniforms:vr(pi.backgroundCube.uniforms),vertexShader:pi.backgroundCube.vertexShader,fragmentShader:pi.backgroundCube.fragmentShader,side:Tn,depthTest:!1,depthWrite:!1,fog:!1})),u.geometry.deleteAttribute("normal"),u.geometry.deleteAttribute("uv"),u.onBeforeRender=function(H,T,R){this.matrixWorld.copyPosition(R.matrixWorld)},Object.defineProperty(u.material,"envMap",{get:function(){return this.uniforms.envMap.value}}),s.update(u)),hs.copy(S.backgroundRotation),hs.x*=-1,hs.y*=-1,hs.z*=-1,w.isCubeTexture&&w.isRenderTargetTexture===!1&&(hs.y*=-1,hs.z*=-1),u.material.uniforms.envMap.value=w,u.material.uniforms.flipEnvMap.value=w.isCubeTexture&&w.isRenderTargetTexture===!1?-1:1,u.material.uniforms.backgroundBlurriness.value=S.backgroundBlurriness,u.material.uniforms.backgroundIntensity.value=S.backgroundIntensity,u.material.uniforms.backgroundRotation.value.setFromMatrix4(Y0.makeRotationFromEuler(hs)),u.material.toneMapped=vt.getTransfer(w.colorSpace)!==Pt,(h!==w||f!==w.version||m!==i.toneMapping)&&(u.material.needsUpdate=!0,h=w,f=w.version,m=i.toneMapping),u.layers.enableAll(),y.unshift(u,u.geometry,u.material,0,0,null)):w&&w.isTexture&&(c===void 0&&(c=new Nn(new ca(2,2),new Oi({name:"BackgroundMaterial",uniforms:vr(pi.background.uniforms),vertexShader:pi.background.vertexShader,fragmentShader:pi.background.fragmentShader,side:ts,depthTest:!1,depthWrite:!1,fog:!1})),c.geometry.deleteAttribute("normal"),Object.defineProperty(c.material,"map",{get:function(){return this.uniforms.t2D.value}}),s.update(c)),c.material.uniforms.t2D.value=w,c.material.uniforms.backgroundIntensity.value=S.backgroundIntensity,c.material.toneMapped=vt.getTransfer(w.colorSpace)!==Pt,w.matrixAutoUpdate===!0&&w.updateMatrix(),c.material.uniforms.uvTransform.value.copy(w.matrix),(h!==w||f!==w.version||m!==i.toneMapping)&&(c.material.needsUpdate=!0,h=w,f=w.version,m=i.toneMapping),c.layers.enableAll(),y.unshift(c,c.geometry,c.material,0,0,null))}function p(y,S){y.getRGB(Uo,Yf(i)),n.buffers.color.setClear(Uo.r,Uo.g,Uo.b,S,o)}return{getClearColor:function(){return a},setClearColor:function(y,S=1){a.set(y),l=S,p(a,l)},getClearAlpha:function(){return l},setClearAlpha:function(y){l=y,p(a,l)},render:v,addToRenderList:d}}function K0(i,e){const t=i.getParameter(i.MAX_VERTEX_ATTRIBS),n={},s=f(null);let r=s,o=!1;function a(x,N,G,U,j){let X=!1;const ie=h(U,G,N);r!==ie&&(r=ie,c(r.object)),X=m(x,U,G,j),X&&_(x,U,G,j),j!==null&&e.update(j,i.ELEMENT_ARRAY_BUFFER),(X||o)&&(o=!1,w(x,N,G,U),j!==null&&i.bindBuffer(i.ELEMENT_ARRAY_BUFFER,e.get(j).buffer))}function l(){return i.createVertexArray()}function c(x){return i.bindVertexArray(x)}function u(x){return i.deleteVertexArray(x)}function h(x,N,G){const U=G.wireframe===!0;let j=n[x.id];j===void 0&&(j={},n[x.id]=j);let X=j[N.id];X===void 0&&(X={},j[N.id]=X);let ie=X[U];return ie===void 0&&(ie=f(l()),X[U]=ie),ie}function f(x){const N=[],G=[],U=[];for(let j=0;j<t;j++)N[j]=0,G[j]=0,U[j]=0;return{geometry:null,program:null,wireframe:!1,newAttributes:N,enabledAttributes:G,attributeDivisors:U,object:x,attributes:{},index:null}}function m(x,N,G,U){const j=r.attributes,X=N.attributes;let ie=0;const ee=G.getAttributes();for(const te in ee)if(ee[te].location>=0){const Y=j[te];let fe=X[te];if(fe===void 0&&(te==="instanceMatrix"&&x.instanceMatrix&&(fe=x.instanceMatrix),te==="instanceColor"&&x.instanceColor&&(fe=x.instanceColor)),Y===void 0||Y.attribute!==fe||fe&&Y.data!==fe.data)return!0;ie++}return r.attributesNum!==ie||r.index!==U}function _(x,N,G,U){const j={},X=N.attributes;let ie=0;const ee=G.getAttributes();for(const te in ee)if(ee[te].location>=0){let Y=X[te];Y===void 0&&(te==="instanceMatrix"&&x.instanceMatrix&&(Y=x.instanceMatrix),te==="instanceColor"&&x.instanceColor&&(Y=x.instanceColor));const fe={};fe.attribute=Y,Y&&Y.data&&(fe.data=Y.data),j[te]=fe,ie++}r.attributes=j,r.attributesNum=ie,r.index=U}function v(){const x=r.newAttributes;for(let N=0,G=x.length;N<G;N++)x[N]=0}function d(x){p(x,0)}function p(x,N){const G=r.newAttributes,U=r.enabledAttributes,j=r.attributeDivisors;G[x]=1,U[x]===0&&(i.enableVertexAttribArray(x),U[x]=1),j[x]!==N&&(i.vertexAttribDivisor(x,N),j[x]=N)}function y(){const x=r.newAttributes,N=r.enabledAttributes;for(let G=0,U=N.length;G<U;G++)N[G]!==x[G]&&(i.disableVertexAttribArray(G),N[G]=0)}function S(x,N,G,U,j,X,ie){ie===!0?i.vertexAttribIPointer(x,N,G,j,X):i.vertexAttribPointer(x,N,G,U,j,X)}function w(x,N,G,U){v();const j=U.attributes,X=G.getAttributes(),ie=N.defaultAttributeValues;for(const ee in X){const te=X[ee];if(te.location>=0){let K=j[ee];if(K===void 0&&(ee==="instanceMatrix"&&x.instanceMatrix&&(K=x.instanceMatrix),ee==="instanceColor"&&x.instanceColor&&(K=x.instanceColor)),K!==void 0){const Y=K.normalized,fe=K.itemSize,P=e.get(K);if(P===void 0)continue;const V=P.buffer,I=P.type,Z=P.bytesPerElement,le=I===i.INT||I===i.UNSIGNED_INT||K.gpuType===If;if(K.isInterleavedBufferAttribute){const B=K.data,se=B.stride,q=K.offset;if(B.isInstancedInterleavedBuffer){for(let F=0;F<te.locationSize;F++)p(te.location+F,B.meshPerAttribute);x.isInstancedMesh!==!0&&U._maxInstanceCount===void 0&&(U._maxInstanceCount=B.meshPerAttribute*B.count)}else for(let F=0;F<te.locationSize;F++)d(te.location+F);i.bindBuffer(i.ARRAY_BUFFER,V);for(let F=0;F<te.locationSize;F++)S(te.location+F,fe/te.locationSize,I,Y,se*Z,(q+fe/te.locationSize*F)*Z,le)}else{if(K.isInstancedBufferAttribute){for(let B=0;B<te.locationSize;B++)p(te.location+B,K.meshPerAttribute);x.isInstancedMesh!==!0&&U._maxInstanceCount===void 0&&(U._maxInstanceCount=K.meshPerAttribute*K.count)}else for(let B=0;B<te.locationSize;B++)d(te.location+B);i.bindBuffer(i.ARRAY_BUFFER,V);for(let B=0;B<te.locationSize;B++)S(te.location+B,fe/te.locationSize,I,Y,fe*Z,fe/te.locationSize*B*Z,le)}}else if(ie!==void 0){const Y=ie[ee];if(Y!==void 0)switch(Y.length){case 2:i.vertexAttrib2fv(te.location,Y);break;case 3:i.vertexAttrib3fv(te.location,Y);break;case 4:i.vertexAttrib4fv(te.location,Y);break;default:i.vertexAttrib1fv(te.location,Y)}}}}y()}function H(){z();for(const x in n){const N=n[x];for(const G in N){const U=N[G];for(const j in U)u(U[j].object),delete U[j];delete N[G]}delete n[x]}}function T(x){if(n[x.id]===void 0)return;const N=n[x.id];for(const G in N){const U=N[G];for(const j in U)u(U[j].object),delete U[j];delete N[G]}delete n[x.id]}function R(x){for(const N in n){const G=n[N];if(G[x.id]===void 0)continue;const U=G[x.id];for(const j in U)u(U[j].object),delete U[j];delete G[x.id]}}function z(){b(),o=!0,r!==s&&(r=s,c(r.object))}function b(){s.geometry=null,s.program=null,s.wireframe=!1}return{setup:a,reset:z,resetDefaultState:b,dispose:H,releaseStatesOfGeometry:T,releaseStatesOfProgram:R,initAttributes:v,enableAttribute:d,disableUnusedAttributes:y}}function j0(i,e,t){let n;function s(c){n=c}function r(c,u){i.drawArrays(n,c,u),t.update(u,n,1)}function o(c,u,h){h!==0&&(i.drawArraysInstanced(n,c,u,h),t.update(u,n,h))}function a(c,u,h){if(h===0)return;const f=e.get("WEBGL_multi_draw");if(f===null)for(let m=0;m<h;m++)this.render(c[m],u[m]);else{f.multiDrawArraysWEBGL(n,c,0,u,0,h);let m=0;for(let _=0;_<h;_++)m+=u[_];t.update(m,n,1)}}function l(c,u,h,f){if(h===0)return;const m=e.get("WEBGL_multi_draw");if(m===null)for(let _=0;_<c.length;_++)o(c[_],u[_],f[_]);else{m.multiDrawArraysInstancedWEBGL(n,c,0,u,0,f,0,h);let _=0;for(let v=0;v<h;v++)_+=u[v];for(let v=0;v<f.length;v++)t.update(_,n,f[v])}}this.setMode=s,this.render=r,this.renderInstances=o,this.renderMultiDraw=a,this.renderMultiDrawInstances=l}function Z0(i,e,t,n){let s;function r(){if(s!==void 0)return s;if(e.has("EXT_texture_filter_anisotropic")===!0){const T=e.get("EXT_texture_filter_anisotropic");s=i.getParameter(T.MAX_TEXTURE_MAX_ANISOTROPY_EXT)}else s=0;return s}function o(T){return!(T!==vi&&n.convert(T)!==i.getParameter(i.IMPLEMENTATION_COLOR_READ_FORMAT))}function a(T){const R=T===oa&&(e.has("EXT_color_buffer_half_float")||e.has("EXT_color_buffer_float"));return!(T!==ns&&n.convert(T)!==i.getParameter(i.IMPLEMENTATION_COLOR_READ_TYPE)&&T!==Ji&&!R)}function l(T){if(T==="highp"){if(i.getShaderPrecisionFormat(i.VERTEX_SHADER,i.HIGH_FLOAT).precision>0&&i.getShaderPrecisionFormat(i.FRAGMENT_SHADER,i.HIGH_FLOAT).precision>0)return"highp";T="mediump"}return T==="mediump"&&i.getShaderPrecisionFormat(i.VERTEX_SHADER,i.MEDIUM_FLOAT).precision>0&&i.getShaderPrecisionFormat(i.FRAGMENT_SHADER,i.MEDIUM_FLOAT).precision>0?"mediump":"lowp"}let c=t.precision!==void 0?t.precision:"highp";const u=l(c);u!==c&&(console.warn("THREE.WebGLRenderer:",c,"not supported, using",u,"instead."),c=u);const h=t.logarithmicDepthBuffer===!0,f=i.getParameter(i.MAX_TEXTURE_IMAGE_UNITS),m=i.getParameter(i.MAX_VERTEX_TEXTURE_IMAGE_UNITS),_=i.getParameter(i.MAX_TEXTURE_SIZE),v=i.getParameter(i.MAX_CUBE_MAP_TEXTURE_SIZE),d=i.getParameter(i.MAX_VERTEX_ATTRIBS),p=i.getParameter(i.MAX_VERTEX_UNIFORM_VECTORS),y=i.getParameter(i.MAX_VARYING_VECTORS),S=i.getParameter(i.MAX_FRAGMENT_UNIFORM_VECTORS),w=m>0,H=i.getParameter(i.MAX_SAMPLES);return{isWebGL2:!0,getMaxAnisotropy:r,getMaxPrecision:l,textureFormatReadable:o,textureTypeReadable:a,precision:c,logarithmicDepthBuffer:h,maxTextures:f,maxVertexTextures:m,maxTextureSize:_,maxCubemapSize:v,maxAttributes:d,maxVertexUniforms:p,maxVaryings:y,maxFragmentUniforms:S,vertexTextures:w,maxSamples:H}}function J0(i){const e=this;let t=null,n=0,s=!1,r=!1;const o=new Ki,a=new rt,l={value:null,needsUpdate:!1};this.uniform=l,this.numPlanes=0,this.numIntersection=0,this.init=function(h,f){const m=h.length!==0||f||n!==0||s;return s=f,n=h.length,m},this.beginShadows=function(){r=!0,u(null)},this.endShadows=function(){r=!1},this.setGlobalState=function(h,f){t=u(h,f,0)},this.setState=function(h,f,m){const _=h.clippingPlanes,v=h.clipIntersection,d=h.clipShadows,p=i.get(h);if(!s||_===null||_.length===0||r&&!d)r?u(null):c();else{const y=r?0:n,S=y*4;let w=p.clippingState||null;l.value=w,w=u(_,f,S,m);for(let H=0;H!==S;++H)w[H]=t[H];p.clippingState=w,this.numIntersection=v?this.numPlanes:0,this.numPlanes+=y}};function c(){l.value!==t&&(l.value=t,l.needsUpdate=n>0),e.numPlanes=n,e.numIntersection=0}function u(h,f,m,_){const v=h!==null?h.length:0;let d=null;if(v!==0){if(d=l.value,_!==!0||d===null){const p=m+v*4,y=f.matrixWorldInverse;a.getNormalMatrix(y),(d===null||d.length<p)&&(d=new Float32Array(p));for(let S=0,w=m;S!==v;++S,w+=4)o.copy(h[S]).applyMatrix4(y,a),o.normal.toArray(d,w),d[w+3]=o.constant}l.value=d,l.needsUpdate=!0}return e.numPlanes=v,e.numIntersection=0,d}}function Q0(i){let e=new WeakMap;function t(o,a){return a===Dl?o.mapping=mr:a===Ul&&(o.mapping=gr),o}function n(o){if(o&&o.isTexture){const a=o.mapping;if(a===Dl||a===Ul)if(e.has(o)){const l=e.get(o).texture;return t(l,o.mapping)}else{const l=o.image;if(l&&l.height>0){const c=new ug(l.height);return c.fromEquirectangularTexture(i,o),e.set(o,c),o.addEventListener("dispose",s),t(c.texture,o.mapping)}else return null}}return o}function s(o){const a=o.target;a.removeEventListener("dispose",s);const l=e.get(a);l!==void 0&&(e.delete(a),l.dispose())}function r(){e=new WeakMap}return{get:n,dispose:r}}class ev extends qf{constructor(e=-1,t=1,n=1,s=-1,r=.1,o=2e3){super(),this.isOrthographicCamera=!0,this.type="OrthographicCamera",this.zoom=1,this.view=null,this.left=e,this.right=t,this.top=n,this.bottom=s,this.near=r,this.far=o,this.updateProjectionMatrix()}copy(e,t){return super.copy(e,t),this.left=e.left,this.right=e.right,this.top=e.top,this.bottom=e.bottom,this.near=e.near,this.far=e.far,this.zoom=e.zoom,this.view=e.view===null?null:Object.assign({},e.view),this}setViewOffset(e,t,n,s,r,o){this.view===null&&(this.view={enabled:!0,fullWidth:1,fullHeight:1,offsetX:0,offsetY:0,width:1,height:1}),this.view.enabled=!0,this.view.fullWidth=e,this.view.fullHeight=t,this.view.offsetX=n,this.view.offsetY=s,this.view.width=r,this.view.height=o,this.updateProjectionMatrix()}clearViewOffset(){this.view!==null&&(this.view.enabled=!1),this.updateProjectionMatrix()}updateProjectionMatrix(){const e=(this.right-this.left)/(2*this.zoom),t=(this.top-this.bottom)/(2*this.zoom),n=(this.right+this.left)/2,s=(this.top+this.bottom)/2;let r=n-e,o=n+e,a=s+t,l=s-t;if(this.view!==null&&this.view.enabled){const c=(this.right-this.left)/this.view.fullWidth/this.zoom,u=(this.top-this.bottom)/this.view.fullHeight/this.zoom;r+=c*this.view.offsetX,o=r+c*this.view.width,a-=u*this.view.offsetY,l=a-u*this.view.height}this.projectionMatrix.makeOrthographic(r,o,a,l,this.near,this.far,this.coordinateSystem),this.projectionMatrixInverse.copy(this.projectionMatrix).invert()}toJSON(e){const t=super.toJSON(e);return t.object.zoom=this.zoom,t.object.left=this.left,t.object.right=this.right,t.object.top=this.top,t.object.bottom=this.bottom,t.object.near=this.near,t.object.far=this.far,this.view!==null&&(t.object.view=Object.assign({},this.view)),t}}const cr=4,Gu=[.125,.215,.35,.446,.526,.582],vs=20,al=new ev,Wu=new St;let ll=null,cl=0,ul=0,hl=!1;const ds=(1+Math.sqrt(5))/2,or=1/ds,Xu=[new $(-ds,or,0),new $(ds,or,0),new $(-or,0,ds),new $(or,0,ds),new $(0,ds,-or),new $(0,ds,or),new $(-1,1,-1),new $(1,1,-1),new $(-1,1,1),new $(1,1,1)];class $u{constructor(e){this._renderer=e,this._pingPongRenderTarget=null,this._lodMax=0,this._cubeSize=0,this._lodPlanes=[],this._sizeLods=[],this._sigmas=[],this._blurMaterial=null,this._cubemapMaterial=null,this._equirectMaterial=null,this._compileMaterial(this._blurMaterial)}fromScene(e,t=0,n=.1,s=100){ll=this._renderer.getRenderTarget(),cl=this._renderer.getActiveCubeFace(),ul=this._renderer.getActiveMipmapLevel(),hl=this._renderer.xr.enabled,this._renderer.xr.enabled=!1,this._setSize(256);const r=this._allocateTargets();return r.depthBuffer=!0,this._sceneToCubeUV(e,n,s,r),t>0&&this._blur(r,0,0,t),this._applyPMREM(r),this._cleanup(r),r}fromEquirectangular(e,t=null){return this._fromTexture(e,t)}fromCubemap(e,t=null){return this._fromTexture(e,t)}compileCubemapShader(){this._cubemapMaterial===null&&(this._cubemapMaterial=Ku(),this._compileMaterial(this._cubemapMaterial))}compileEquirectangularShader(){this._equirectMaterial===null&&(this._equirectMaterial=qu(),this._compileMaterial(this._equirectMaterial))}dispose(){this._dispose(),this._cubemapMaterial!==null&&this._cubemapMaterial.dispose(),this._equirectMaterial!==null&&this._equirectMaterial.dispose()}_setSize(e){this._lodMax=Math.floor(Math.log2(e)),this._cubeSize=Math.pow(2,this._lodMax)}_dispose(){this._blurMaterial!==null&&this._blurMaterial.dispose(),this._pingPongRenderTarget!==null&&this._pingPongRenderTarget.dispose();for(let e=0;e<this._lodPlanes.length;e++)this._lodPlanes[e].dispose()}_cleanup(e){this._renderer.setRenderTarget(ll,cl,ul),this._renderer.xr.enabled=hl,e.scissorTest=!1,Io(e,0,0,e.width,e.height)}_fromTexture(e,t){e.mapping===mr||e.mapping===gr?this._setSize(e.image.length===0?16:e.image[0].width||e.image[0].image.width):this._setSize(e.image.width/4),ll=this._renderer.getRenderTarget(),cl=this._renderer.getActiveCubeFace(),ul=this._renderer.getActiveMipmapLevel(),hl=this._renderer.xr.enabled,this._renderer.xr.enabled=!1;const n=t||this._allocateTargets();return this._textureToCubeUV(e,n),this._applyPMREM(n),this._cleanup(n),n}_allocateTargets(){const e=3*Math.max(this._cubeSize,112),t=4*this._cubeSize,n={magFilter:oi,minFilter:oi,generateMipmaps:!1,type:oa,format:vi,colorSpace:Fi,depthBuffer:!1},s=Yu(e,t,n);if(this._pingPongRenderTarget===null||this._pingPongRenderTarget.width!==e||this._pingPongRenderTarget.height!==t){this._pingPongRenderTarget!==null&&this._dispose(),this._pingPongRenderTarget=Yu(e,t,n);const{_lodMax:r}=this;({sizeLods:this._sizeLods,lodPlanes:this._lodPlanes,sigmas:this._sigmas}=tv(r)),this._blurMaterial=nv(r,e,t)}return s}_compileMaterial(e){const t=new Nn(this._lodPlanes[0],e);this._renderer.compile(t,al)}_sceneToCubeUV(e,t,n,s){const a=new Yn(90,1,t,n),l=[1,-1,1,1,1,1],c=[1,1,1,-1,-1,-1],u=this._renderer,h=u.autoClear,f=u.toneMapping;u.getClearColor(Wu),u.toneMapping=es,u.autoClear=!1;const m=new Qo({name:"PMREM.Background",side:Tn,depthWrite:!1,depthTest:!1}),_=new Nn(new so,m);let v=!1;const d=e.background;d?d.isColor&&(m.color.copy(d),e.background=null,v=!0):(m.color.copy(Wu),v=!0);for(let p=0;p<6;p++){const y=p%3;y===0?(a.up.set(0,l[p],0),a.lookAt(c[p],0,0)):y===1?(a.up.set(0,0,l[p]),a.lookAt(0,c[p],0)):(a.up.set(0,l[p],0),a.lookAt(0,0,c[p]));const S=this._cubeSize;Io(s,y*S,p>2?S:0,S,S),u.setRenderTarget(s),v&&u.render(_,a),u.render(e,a)}_.geometry.dispose(),_.material.dispose(),u.toneMapping=f,u.autoClear=h,e.background=d}_textureToCubeUV(e,t){const n=this._renderer,s=e.mapping===mr||e.mapping===gr;s?(this._cubemapMaterial===null&&(this._cubemapMaterial=Ku()),this._cubemapMaterial.uniforms.flipEnvMap.value=e.isRenderTargetTexture===!1?-1:1):this._equirectMaterial===null&&(this._equirectMaterial=qu());const r=s?this._cubemapMaterial:this._equirectMaterial,o=new Nn(this._lodPlanes[0],r),a=r.uniforms;a.envMap.value=e;const l=this._cubeSize;Io(t,0,0,3*l,2*l),n.setRenderTarget(t),n.render(o,al)}_applyPMREM(e){const t=this._renderer,n=t.autoClear;t.autoClear=!1;const s=this._lodPlanes.length;for(let r=1;r<s;r++){const o=Math.sqrt(this._sigmas[r]*this._sigmas[r]-this._sigmas[r-1]*this._sigmas[r-1]),a=Xu[(s-r-1)%Xu.length];this._blur(e,r-1,r,o,a)}t.autoClear=n}_blur(e,t,n,s,r){const o=this._pingPongRenderTarget;this._halfBlur(e,o,t,n,s,"latitudinal",r),this._halfBlur(o,e,n,n,s,"longitudinal",r)}_halfBlur(e,t,n,s,r,o,a){const l=this._renderer,c=this._blurMaterial;o!=="latitudinal"&&o!=="longitudinal"&&console.error("blur direction must be either latitudinal or longitudinal!");const u=3,h=new Nn(this._lodPlanes[s],c),f=c.uniforms,m=this._sizeLods[n]-1,_=isFinite(r)?Math.PI/(2*m):2*Math.PI/(2*vs-1),v=r/_,d=isFinite(r)?1+Math.floor(u*v):vs;d>vs&&console.warn(`sigmaRadians, ${r}, is too large and will clip, as it requested ${d} samples when the maximum is set to ${vs}`);const p=[];let y=0;for(let R=0;R<vs;++R){const z=R/v,b=Math.exp(-z*z/2);p.push(b),R===0?y+=b:R<d&&(y+=2*b)}for(let R=0;R<p.length;R++)p[R]=p[R]/y;f.envMap.value=e.texture,f.samples.value=d,f.weights.value=p,f.latitudinal.value=o==="latitudinal",a&&(f.poleAxis.value=a);const{_lodMax:S}=this;f.dTheta.value=_,f.mipInt.value=S-n;const w=this._sizeLods[s],H=3*w*(s>S-cr?s-S+cr:0),T=4*(this._cubeSize-w);Io(t,H,T,3*w,2*w),l.setRenderTarget(t),l.render(h,al)}}function tv(i){const e=[],t=[],n=[];let s=i;const r=i-cr+1+Gu.length;for(let o=0;o<r;o++){const a=Math.pow(2,s);t.push(a);let l=1/a;o>i-cr?l=Gu[o-i+cr-1]:o===0&&(l=0),n.push(l);const c=1/(a-2),u=-c,h=1+c,f=[u,u,h,u,h,h,u,u,h,h,u,h],m=6,_=6,v=3,d=2,p=1,y=new Float32Array(v*_*m),S=new Float32Array(d*_*m),w=new Float32Array(p*_*m);for(let T=0;T<m;T++){const R=T%3*2/3-1,z=T>2?0:-1,b=[R,z,0,R+2/3,z,0,R+2/3,z+1,0,R,z,0,R+2/3,z+1,0,R,z+1,0];y.set(b,v*_*T),S.set(f,d*_*T);const x=[T,T,T,T,T,T];w.set(x,p*_*T)}const H=new Mi;H.setAttribute("position",new Fn(y,v)),H.setAttribute("uv",new Fn(S,d)),H.setAttribute("faceIndex",new Fn(w,p)),e.push(H),s>cr&&s--}return{lodPlanes:e,sizeLods:t,sigmas:n}}function Yu(i,e,t){const n=new ws(i,e,t);return n.texture.mapping=ra,n.texture.name="PMREM.cubeUv",n.scissorTest=!0,n}function Io(i,e,t,n,s){i.viewport.set(e,t,n,s),i.scissor.set(e,t,n,s)}function nv(i,e,t){const n=new Float32Array(vs),s=new $(0,1,0);return new Oi({name:"SphericalGaussianBlur",defines:{n:vs,CUBEUV_TEXEL_WIDTH:1/e,CUBEUV_TEXEL_HEIGHT:1/t,CUBEUV_MAX_MIP:`${i}.0`},uniforms:{envMap:{value:null},samples:{value:1},weights:{value:n},latitudinal:{value:!1},dTheta:{value:0},mipInt:{value:0},poleAxis:{value:s}},vertexShader:nc(),fragmentShader:`

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
		`,blending:Qi,depthTest:!1,depthWrite:!1})}function qu(){return new Oi({name:"EquirectangularToCubeUV",uniforms:{envMap:{value:null}},vertexShader:nc(),fragmentShader:`

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
		`,blending:Qi,depthTest:!1,depthWrite:!1})}function Ku(){return new Oi({name:"CubemapToCubeUV",uniforms:{envMap:{value:null},flipEnvMap:{value:-1}},vertexShader:nc(),fragmentShader:`

			precision mediump float;
			precision mediump int;

			uniform float flipEnvMap;

			varying vec3 vOutputDirection;

			uniform samplerCube envMap;

			void main() {

				gl_FragColor = textureCube( envMap, vec3( flipEnvMap * vOutputDirection.x, vOutputDirection.yz ) );

			}
		`,blending:Qi,depthTest:!1,depthWrite:!1})}function nc(){return`

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
	`}function iv(i){let e=new WeakMap,t=null;function n(a){if(a&&a.isTexture){const l=a.mapping,c=l===Dl||l===Ul,u=l===mr||l===gr;if(c||u){let h=e.get(a);const f=h!==void 0?h.texture.pmremVersion:0;if(a.isRenderTargetTexture&&a.pmremVersion!==f)return t===null&&(t=new $u(i)),h=c?t.fromEquirectangular(a,h):t.fromCubemap(a,h),h.texture.pmremVersion=a.pmremVersion,e.set(a,h),h.texture;if(h!==void 0)return h.texture;{const m=a.image;return c&&m&&m.height>0||u&&m&&s(m)?(t===null&&(t=new $u(i)),h=c?t.fromEquirectangular(a):t.fromCubemap(a),h.texture.pmremVersion=a.pmremVersion,e.set(a,h),a.addEventListener("dispose",r),h.texture):null}}}return a}function s(a){let l=0;const c=6;for(let u=0;u<c;u++)a[u]!==void 0&&l++;return l===c}function r(a){const l=a.target;l.removeEventListener("dispose",r);const c=e.get(l);c!==void 0&&(e.delete(l),c.dispose())}function o(){e=new WeakMap,t!==null&&(t.dispose(),t=null)}return{get:n,dispose:o}}function sv(i){const e={};function t(n){if(e[n]!==void 0)return e[n];let s;switch(n){case"WEBGL_depth_texture":s=i.getExtension("WEBGL_depth_texture")||i.getExtension("MOZ_WEBGL_depth_texture")||i.getExtension("WEBKIT_WEBGL_depth_texture");break;case"EXT_texture_filter_anisotropic":s=i.getExtension("EXT_texture_filter_anisotropic")||i.getExtension("MOZ_EXT_texture_filter_anisotropic")||i.getExtension("WEBKIT_EXT_texture_filter_anisotropic");break;case"WEBGL_compressed_texture_s3tc":s=i.getExtension("WEBGL_compressed_texture_s3tc")||i.getExtension("MOZ_WEBGL_compressed_texture_s3tc")||i.getExtension("WEBKIT_WEBGL_compressed_texture_s3tc");break;case"WEBGL_compressed_texture_pvrtc":s=i.getExtension("WEBGL_compressed_texture_pvrtc")||i.getExtension("WEBKIT_WEBGL_compressed_texture_pvrtc");break;default:s=i.getExtension(n)}return e[n]=s,s}return{has:function(n){return t(n)!==null},init:function(){t("EXT_color_buffer_float"),t("WEBGL_clip_cull_distance"),t("OES_texture_float_linear"),t("EXT_color_buffer_half_float"),t("WEBGL_multisampled_render_to_texture"),t("WEBGL_render_shared_exponent")},get:function(n){const s=t(n);return s===null&&console.warn("THREE.WebGLRenderer: "+n+" extension not supported."),s}}}function rv(i,e,t,n){const s={},r=new WeakMap;function o(h){const f=h.target;f.index!==null&&e.remove(f.index);for(const _ in f.attributes)e.remove(f.attributes[_]);for(const _ in f.morphAttributes){const v=f.morphAttributes[_];for(let d=0,p=v.length;d<p;d++)e.remove(v[d])}f.removeEventListener("dispose",o),delete s[f.id];const m=r.get(f);m&&(e.remove(m),r.delete(f)),n.releaseStatesOfGeometry(f),f.isInstancedBufferGeometry===!0&&delete f._maxInstanceCount,t.memory.geometries--}function a(h,f){return s[f.id]===!0||(f.addEventListener("dispose",o),s[f.id]=!0,t.memory.geometries++),f}function l(h){const f=h.attributes;for(const _ in f)e.update(f[_],i.ARRAY_BUFFER);const m=h.morphAttributes;for(const _ in m){const v=m[_];for(let d=0,p=v.length;d<p;d++)e.update(v[d],i.ARRAY_BUFFER)}}function c(h){const f=[],m=h.index,_=h.attributes.position;let v=0;if(m!==null){const y=m.array;v=m.version;for(let S=0,w=y.length;S<w;S+=3){const H=y[S+0],T=y[S+1],R=y[S+2];f.push(H,T,T,R,R,H)}}else if(_!==void 0){const y=_.array;v=_.version;for(let S=0,w=y.length/3-1;S<w;S+=3){const H=S+0,T=S+1,R=S+2;f.push(H,T,T,R,R,H)}}else return;const d=new(Hf(f)?$f:Xf)(f,1);d.version=v;const p=r.get(h);p&&e.remove(p),r.set(h,d)}function u(h){const f=r.get(h);if(f){const m=h.index;m!==null&&f.version<m.version&&c(h)}else c(h);return r.get(h)}return{get:a,update:l,getWireframeAttribute:u}}function ov(i,e,t){let n;function s(f){n=f}let r,o;function a(f){r=f.type,o=f.bytesPerElement}function l(f,m){i.drawElements(n,m,r,f*o),t.update(m,n,1)}function c(f,m,_){_!==0&&(i.drawElementsInstanced(n,m,r,f*o,_),t.update(m,n,_))}function u(f,m,_){if(_===0)return;const v=e.get("WEBGL_multi_draw");if(v===null)for(let d=0;d<_;d++)this.render(f[d]/o,m[d]);else{v.multiDrawElementsWEBGL(n,m,0,r,f,0,_);let d=0;for(let p=0;p<_;p++)d+=m[p];t.update(d,n,1)}}function h(f,m,_,v){if(_===0)return;const d=e.get("WEBGL_multi_draw");if(d===null)for(let p=0;p<f.length;p++)c(f[p]/o,m[p],v[p]);else{d.multiDrawElementsInstancedWEBGL(n,m,0,r,f,0,v,0,_);let p=0;for(let y=0;y<_;y++)p+=m[y];for(let y=0;y<v.length;y++)t.update(p,n,v[y])}}this.setMode=s,this.setIndex=a,this.render=l,this.renderInstances=c,this.renderMultiDraw=u,this.renderMultiDrawInstances=h}function av(i){const e={geometries:0,textures:0},t={frame:0,calls:0,triangles:0,points:0,lines:0};function n(r,o,a){switch(t.calls++,o){case i.TRIANGLES:t.triangles+=a*(r/3);break;case i.LINES:t.lines+=a*(r/2);break;case i.LINE_STRIP:t.lines+=a*(r-1);break;case i.LINE_LOOP:t.lines+=a*r;break;case i.POINTS:t.points+=a*r;break;default:console.error("THREE.WebGLInfo: Unknown draw mode:",o);break}}function s(){t.calls=0,t.triangles=0,t.points=0,t.lines=0}return{memory:e,render:t,programs:null,autoReset:!0,reset:s,update:n}}function lv(i,e,t){const n=new WeakMap,s=new un;function r(o,a,l){const c=o.morphTargetInfluences,u=a.morphAttributes.position||a.morphAttributes.normal||a.morphAttributes.color,h=u!==void 0?u.length:0;let f=n.get(a);if(f===void 0||f.count!==h){let x=function(){z.dispose(),n.delete(a),a.removeEventListener("dispose",x)};var m=x;f!==void 0&&f.texture.dispose();const _=a.morphAttributes.position!==void 0,v=a.morphAttributes.normal!==void 0,d=a.morphAttributes.color!==void 0,p=a.morphAttributes.position||[],y=a.morphAttributes.normal||[],S=a.morphAttributes.color||[];let w=0;_===!0&&(w=1),v===!0&&(w=2),d===!0&&(w=3);let H=a.attributes.position.count*w,T=1;H>e.maxTextureSize&&(T=Math.ceil(H/e.maxTextureSize),H=e.maxTextureSize);const R=new Float32Array(H*T*4*h),z=new Gf(R,H,T,h);z.type=Ji,z.needsUpdate=!0;const b=w*4;for(let N=0;N<h;N++){const G=p[N],U=y[N],j=S[N],X=H*T*4*N;for(let ie=0;ie<G.count;ie++){const ee=ie*b;_===!0&&(s.fromBufferAttribute(G,ie),R[X+ee+0]=s.x,R[X+ee+1]=s.y,R[X+ee+2]=s.z,R[X+ee+3]=0),v===!0&&(s.fromBufferAttribute(U,ie),R[X+ee+4]=s.x,R[X+ee+5]=s.y,R[X+ee+6]=s.z,R[X+ee+7]=0),d===!0&&(s.fromBufferAttribute(j,ie),R[X+ee+8]=s.x,R[X+ee+9]=s.y,R[X+ee+10]=s.z,R[X+ee+11]=j.itemSize===4?s.w:1)}}f={count:h,texture:z,size:new ze(H,T)},n.set(a,f),a.addEventListener("dispose",x)}if(o.isInstancedMesh===!0&&o.morphTexture!==null)l.getUniforms().setValue(i,"morphTexture",o.morphTexture,t);else{let _=0;for(let d=0;d<c.length;d++)_+=c[d];const v=a.morphTargetsRelative?1:1-_;l.getUniforms().setValue(i,"morphTargetBaseInfluence",v),l.getUniforms().setValue(i,"morphTargetInfluences",c)}l.getUniforms().setValue(i,"morphTargetsTexture",f.texture,t),l.getUniforms().setValue(i,"morphTargetsTextureSize",f.size)}return{update:r}}function cv(i,e,t,n){let s=new WeakMap;function r(l){const c=n.render.frame,u=l.geometry,h=e.get(l,u);if(s.get(h)!==c&&(e.update(h),s.set(h,c)),l.isInstancedMesh&&(l.hasEventListener("dispose",a)===!1&&l.addEventListener("dispose",a),s.get(l)!==c&&(t.update(l.instanceMatrix,i.ARRAY_BUFFER),l.instanceColor!==null&&t.update(l.instanceColor,i.ARRAY_BUFFER),s.set(l,c))),l.isSkinnedMesh){const f=l.skeleton;s.get(f)!==c&&(f.update(),s.set(f,c))}return h}function o(){s=new WeakMap}function a(l){const c=l.target;c.removeEventListener("dispose",a),t.remove(c.instanceMatrix),c.instanceColor!==null&&t.remove(c.instanceColor)}return{update:r,dispose:o}}class Jf extends An{constructor(e,t,n,s,r,o,a,l,c,u){if(u=u!==void 0?u:hr,u!==hr&&u!==Zr)throw new Error("DepthTexture format must be either THREE.DepthFormat or THREE.DepthStencilFormat");n===void 0&&u===hr&&(n=_r),n===void 0&&u===Zr&&(n=to),super(null,s,r,o,a,l,u,n,c),this.isDepthTexture=!0,this.image={width:e,height:t},this.magFilter=a!==void 0?a:qn,this.minFilter=l!==void 0?l:qn,this.flipY=!1,this.generateMipmaps=!1,this.compareFunction=null}copy(e){return super.copy(e),this.compareFunction=e.compareFunction,this}toJSON(e){const t=super.toJSON(e);return this.compareFunction!==null&&(t.compareFunction=this.compareFunction),t}}const Qf=new An,ed=new Jf(1,1);ed.compareFunction=zf;const td=new Gf,nd=new qm,id=new Kf,ju=[],Zu=[],Ju=new Float32Array(16),Qu=new Float32Array(9),eh=new Float32Array(4);function Er(i,e,t){const n=i[0];if(n<=0||n>0)return i;const s=e*t;let r=ju[s];if(r===void 0&&(r=new Float32Array(s),ju[s]=r),e!==0){n.toArray(r,0);for(let o=1,a=0;o!==e;++o)a+=t,i[o].toArray(r,a)}return r}function Kt(i,e){if(i.length!==e.length)return!1;for(let t=0,n=i.length;t<n;t++)if(i[t]!==e[t])return!1;return!0}function jt(i,e){for(let t=0,n=e.length;t<n;t++)i[t]=e[t]}function ua(i,e){let t=Zu[e];t===void 0&&(t=new Int32Array(e),Zu[e]=t);for(let n=0;n!==e;++n)t[n]=i.allocateTextureUnit();return t}function uv(i,e){const t=this.cache;t[0]!==e&&(i.uniform1f(this.addr,e),t[0]=e)}function hv(i,e){const t=this.cache;if(e.x!==void 0)(t[0]!==e.x||t[1]!==e.y)&&(i.uniform2f(this.addr,e.x,e.y),t[0]=e.x,t[1]=e.y);else{if(Kt(t,e))return;i.uniform2fv(this.addr,e),jt(t,e)}}function fv(i,e){const t=this.cache;if(e.x!==void 0)(t[0]!==e.x||t[1]!==e.y||t[2]!==e.z)&&(i.uniform3f(this.addr,e.x,e.y,e.z),t[0]=e.x,t[1]=e.y,t[2]=e.z);else if(e.r!==void 0)(t[0]!==e.r||t[1]!==e.g||t[2]!==e.b)&&(i.uniform3f(this.addr,e.r,e.g,e.b),t[0]=e.r,t[1]=e.g,t[2]=e.b);else{if(Kt(t,e))return;i.uniform3fv(this.addr,e),jt(t,e)}}function dv(i,e){const t=this.cache;if(e.x!==void 0)(t[0]!==e.x||t[1]!==e.y||t[2]!==e.z||t[3]!==e.w)&&(i.uniform4f(this.addr,e.x,e.y,e.z,e.w),t[0]=e.x,t[1]=e.y,t[2]=e.z,t[3]=e.w);else{if(Kt(t,e))return;i.uniform4fv(this.addr,e),jt(t,e)}}function pv(i,e){const t=this.cache,n=e.elements;if(n===void 0){if(Kt(t,e))return;i.uniformMatrix2fv(this.addr,!1,e),jt(t,e)}else{if(Kt(t,n))return;eh.set(n),i.uniformMatrix2fv(this.addr,!1,eh),jt(t,n)}}function mv(i,e){const t=this.cache,n=e.elements;if(n===void 0){if(Kt(t,e))return;i.uniformMatrix3fv(this.addr,!1,e),jt(t,e)}else{if(Kt(t,n))return;Qu.set(n),i.uniformMatrix3fv(this.addr,!1,Qu),jt(t,n)}}function gv(i,e){const t=this.cache,n=e.elements;if(n===void 0){if(Kt(t,e))return;i.uniformMatrix4fv(this.addr,!1,e),jt(t,e)}else{if(Kt(t,n))return;Ju.set(n),i.uniformMatrix4fv(this.addr,!1,Ju),jt(t,n)}}function _v(i,e){const t=this.cache;t[0]!==e&&(i.uniform1i(this.addr,e),t[0]=e)}function vv(i,e){const t=this.cache;if(e.x!==void 0)(t[0]!==e.x||t[1]!==e.y)&&(i.uniform2i(this.addr,e.x,e.y),t[0]=e.x,t[1]=e.y);else{if(Kt(t,e))return;i.uniform2iv(this.addr,e),jt(t,e)}}function xv(i,e){const t=this.cache;if(e.x!==void 0)(t[0]!==e.x||t[1]!==e.y||t[2]!==e.z)&&(i.uniform3i(this.addr,e.x,e.y,e.z),t[0]=e.x,t[1]=e.y,t[2]=e.z);else{if(Kt(t,e))return;i.uniform3iv(this.addr,e),jt(t,e)}}function Mv(i,e){const t=this.cache;if(e.x!==void 0)(t[0]!==e.x||t[1]!==e.y||t[2]!==e.z||t[3]!==e.w)&&(i.uniform4i(this.addr,e.x,e.y,e.z,e.w),t[0]=e.x,t[1]=e.y,t[2]=e.z,t[3]=e.w);else{if(Kt(t,e))return;i.uniform4iv(this.addr,e),jt(t,e)}}function Sv(i,e){const t=this.cache;t[0]!==e&&(i.uniform1ui(this.addr,e),t[0]=e)}function yv(i,e){const t=this.cache;if(e.x!==void 0)(t[0]!==e.x||t[1]!==e.y)&&(i.uniform2ui(this.addr,e.x,e.y),t[0]=e.x,t[1]=e.y);else{if(Kt(t,e))return;i.uniform2uiv(this.addr,e),jt(t,e)}}function Ev(i,e){const t=this.cache;if(e.x!==void 0)(t[0]!==e.x||t[1]!==e.y||t[2]!==e.z)&&(i.uniform3ui(this.addr,e.x,e.y,e.z),t[0]=e.x,t[1]=e.y,t[2]=e.z);else{if(Kt(t,e))return;i.uniform3uiv(this.addr,e),jt(t,e)}}function bv(i,e){const t=this.cache;if(e.x!==void 0)(t[0]!==e.x||t[1]!==e.y||t[2]!==e.z||t[3]!==e.w)&&(i.uniform4ui(this.addr,e.x,e.y,e.z,e.w),t[0]=e.x,t[1]=e.y,t[2]=e.z,t[3]=e.w);else{if(Kt(t,e))return;i.uniform4uiv(this.addr,e),jt(t,e)}}function wv(i,e,t){const n=this.cache,s=t.allocateTextureUnit();n[0]!==s&&(i.uniform1i(this.addr,s),n[0]=s);const r=this.type===i.SAMPLER_2D_SHADOW?ed:Qf;t.setTexture2D(e||r,s)}function Tv(i,e,t){const n=this.cache,s=t.allocateTextureUnit();n[0]!==s&&(i.uniform1i(this.addr,s),n[0]=s),t.setTexture3D(e||nd,s)}function Av(i,e,t){const n=this.cache,s=t.allocateTextureUnit();n[0]!==s&&(i.uniform1i(this.addr,s),n[0]=s),t.setTextureCube(e||id,s)}function Rv(i,e,t){const n=this.cache,s=t.allocateTextureUnit();n[0]!==s&&(i.uniform1i(this.addr,s),n[0]=s),t.setTexture2DArray(e||td,s)}function Cv(i){switch(i){case 5126:return uv;case 35664:return hv;case 35665:return fv;case 35666:return dv;case 35674:return pv;case 35675:return mv;case 35676:return gv;case 5124:case 35670:return _v;case 35667:case 35671:return vv;case 35668:case 35672:return xv;case 35669:case 35673:return Mv;case 5125:return Sv;case 36294:return yv;case 36295:return Ev;case 36296:return bv;case 35678:case 36198:case 36298:case 36306:case 35682:return wv;case 35679:case 36299:case 36307:return Tv;case 35680:case 36300:case 36308:case 36293:return Av;case 36289:case 36303:case 36311:case 36292:return Rv}}function Pv(i,e){i.uniform1fv(this.addr,e)}function Lv(i,e){const t=Er(e,this.size,2);i.uniform2fv(this.addr,t)}function Dv(i,e){const t=Er(e,this.size,3);i.uniform3fv(this.addr,t)}function Uv(i,e){const t=Er(e,this.size,4);i.uniform4fv(this.addr,t)}function Iv(i,e){const t=Er(e,this.size,4);i.uniformMatrix2fv(this.addr,!1,t)}function Nv(i,e){const t=Er(e,this.size,9);i.uniformMatrix3fv(this.addr,!1,t)}function Ov(i,e){const t=Er(e,this.size,16);i.uniformMatrix4fv(this.addr,!1,t)}function Fv(i,e){i.uniform1iv(this.addr,e)}function kv(i,e){i.uniform2iv(this.addr,e)}function Bv(i,e){i.uniform3iv(this.addr,e)}function zv(i,e){i.uniform4iv(this.addr,e)}function Hv(i,e){i.uniform1uiv(this.addr,e)}function Vv(i,e){i.uniform2uiv(this.addr,e)}function Gv(i,e){i.uniform3uiv(this.addr,e)}function Wv(i,e){i.uniform4uiv(this.addr,e)}function Xv(i,e,t){const n=this.cache,s=e.length,r=ua(t,s);Kt(n,r)||(i.uniform1iv(this.addr,r),jt(n,r));for(let o=0;o!==s;++o)t.setTexture2D(e[o]||Qf,r[o])}function $v(i,e,t){const n=this.cache,s=e.length,r=ua(t,s);Kt(n,r)||(i.uniform1iv(this.addr,r),jt(n,r));for(let o=0;o!==s;++o)t.setTexture3D(e[o]||nd,r[o])}function Yv(i,e,t){const n=this.cache,s=e.length,r=ua(t,s);Kt(n,r)||(i.uniform1iv(this.addr,r),jt(n,r));for(let o=0;o!==s;++o)t.setTextureCube(e[o]||id,r[o])}function qv(i,e,t){const n=this.cache,s=e.length,r=ua(t,s);Kt(n,r)||(i.uniform1iv(this.addr,r),jt(n,r));for(let o=0;o!==s;++o)t.setTexture2DArray(e[o]||td,r[o])}function Kv(i){switch(i){case 5126:return Pv;case 35664:return Lv;case 35665:return Dv;case 35666:return Uv;case 35674:return Iv;case 35675:return Nv;case 35676:return Ov;case 5124:case 35670:return Fv;case 35667:case 35671:return kv;case 35668:case 35672:return Bv;case 35669:case 35673:return zv;case 5125:return Hv;case 36294:return Vv;case 36295:return Gv;case 36296:return Wv;case 35678:case 36198:case 36298:case 36306:case 35682:return Xv;case 35679:case 36299:case 36307:return $v;case 35680:case 36300:case 36308:case 36293:return Yv;case 36289:case 36303:case 36311:case 36292:return qv}}class jv{constructor(e,t,n){this.id=e,this.addr=n,this.cache=[],this.type=t.type,this.setValue=Cv(t.type)}}class Zv{constructor(e,t,n){this.id=e,this.addr=n,this.cache=[],this.type=t.type,this.size=t.size,this.setValue=Kv(t.type)}}class Jv{constructor(e){this.id=e,this.seq=[],this.map={}}setValue(e,t,n){const s=this.seq;for(let r=0,o=s.length;r!==o;++r){const a=s[r];a.setValue(e,t[a.id],n)}}}const fl=/(\w+)(\])?(\[|\.)?/g;function th(i,e){i.seq.push(e),i.map[e.id]=e}function Qv(i,e,t){const n=i.name,s=n.length;for(fl.lastIndex=0;;){const r=fl.exec(n),o=fl.lastIndex;let a=r[1];const l=r[2]==="]",c=r[3];if(l&&(a=a|0),c===void 0||c==="["&&o+2===s){th(t,c===void 0?new jv(a,i,e):new Zv(a,i,e));break}else{let h=t.map[a];h===void 0&&(h=new Jv(a),th(t,h)),t=h}}}class Vo{constructor(e,t){this.seq=[],this.map={};const n=e.getProgramParameter(t,e.ACTIVE_UNIFORMS);for(let s=0;s<n;++s){const r=e.getActiveUniform(t,s),o=e.getUniformLocation(t,r.name);Qv(r,o,this)}}setValue(e,t,n,s){const r=this.map[t];r!==void 0&&r.setValue(e,n,s)}setOptional(e,t,n){const s=t[n];s!==void 0&&this.setValue(e,n,s)}static upload(e,t,n,s){for(let r=0,o=t.length;r!==o;++r){const a=t[r],l=n[a.id];l.needsUpdate!==!1&&a.setValue(e,l.value,s)}}static seqWithValue(e,t){const n=[];for(let s=0,r=e.length;s!==r;++s){const o=e[s];o.id in t&&n.push(o)}return n}}function nh(i,e,t){const n=i.createShader(e);return i.shaderSource(n,t),i.compileShader(n),n}const ex=37297;let tx=0;function nx(i,e){const t=i.split(`
`),n=[],s=Math.max(e-6,0),r=Math.min(e+6,t.length);for(let o=s;o<r;o++){const a=o+1;n.push(`${a===e?">":" "} ${a}: ${t[o]}`)}return n.join(`
`)}function ix(i){const e=vt.getPrimaries(vt.workingColorSpace),t=vt.getPrimaries(i);let n;switch(e===t?n="":e===jo&&t===Ko?n="LinearDisplayP3ToLinearSRGB":e===Ko&&t===jo&&(n="LinearSRGBToLinearDisplayP3"),i){case Fi:case aa:return[n,"LinearTransferOETF"];case di:case Jl:return[n,"sRGBTransferOETF"];default:return console.warn("THREE.WebGLProgram: Unsupported color space:",i),[n,"LinearTransferOETF"]}}function ih(i,e,t){const n=i.getShaderParameter(e,i.COMPILE_STATUS),s=i.getShaderInfoLog(e).trim();if(n&&s==="")return"";const r=/ERROR: 0:(\d+)/.exec(s);if(r){const o=parseInt(r[1]);return t.toUpperCase()+`

`+s+`

`+nx(i.getShaderSource(e),o)}else return s}function sx(i,e){const t=ix(e);return`vec4 ${i}( vec4 value ) { return ${t[0]}( ${t[1]}( value ) ); }`}function rx(i,e){let t;switch(e){case um:t="Linear";break;case hm:t="Reinhard";break;case fm:t="OptimizedCineon";break;case dm:t="ACESFilmic";break;case mm:t="AgX";break;case gm:t="Neutral";break;case pm:t="Custom";break;default:console.warn("THREE.WebGLProgram: Unsupported toneMapping:",e),t="Linear"}return"vec3 "+i+"( vec3 color ) { return "+t+"ToneMapping( color ); }"}function ox(i){return[i.extensionClipCullDistance?"#extension GL_ANGLE_clip_cull_distance : require":"",i.extensionMultiDraw?"#extension GL_ANGLE_multi_draw : require":""].filter(Vr).join(`
`)}function ax(i){const e=[];for(const t in i){const n=i[t];n!==!1&&e.push("#define "+t+" "+n)}return e.join(`
`)}function lx(i,e){const t={},n=i.getProgramParameter(e,i.ACTIVE_ATTRIBUTES);for(let s=0;s<n;s++){const r=i.getActiveAttrib(e,s),o=r.name;let a=1;r.type===i.FLOAT_MAT2&&(a=2),r.type===i.FLOAT_MAT3&&(a=3),r.type===i.FLOAT_MAT4&&(a=4),t[o]={type:r.type,location:i.getAttribLocation(e,o),locationSize:a}}return t}function Vr(i){return i!==""}function sh(i,e){const t=e.numSpotLightShadows+e.numSpotLightMaps-e.numSpotLightShadowsWithMaps;return i.replace(/NUM_DIR_LIGHTS/g,e.numDirLights).replace(/NUM_SPOT_LIGHTS/g,e.numSpotLights).replace(/NUM_SPOT_LIGHT_MAPS/g,e.numSpotLightMaps).replace(/NUM_SPOT_LIGHT_COORDS/g,t).replace(/NUM_RECT_AREA_LIGHTS/g,e.numRectAreaLights).replace(/NUM_POINT_LIGHTS/g,e.numPointLights).replace(/NUM_HEMI_LIGHTS/g,e.numHemiLights).replace(/NUM_DIR_LIGHT_SHADOWS/g,e.numDirLightShadows).replace(/NUM_SPOT_LIGHT_SHADOWS_WITH_MAPS/g,e.numSpotLightShadowsWithMaps).replace(/NUM_SPOT_LIGHT_SHADOWS/g,e.numSpotLightShadows).replace(/NUM_POINT_LIGHT_SHADOWS/g,e.numPointLightShadows)}function rh(i,e){return i.replace(/NUM_CLIPPING_PLANES/g,e.numClippingPlanes).replace(/UNION_CLIPPING_PLANES/g,e.numClippingPlanes-e.numClipIntersection)}const cx=/^[ \t]*#include +<([\w\d./]+)>/gm;function Fl(i){return i.replace(cx,hx)}const ux=new Map;function hx(i,e){let t=st[e];if(t===void 0){const n=ux.get(e);if(n!==void 0)t=st[n],console.warn('THREE.WebGLRenderer: Shader chunk "%s" has been deprecated. Use "%s" instead.',e,n);else throw new Error("Can not resolve #include <"+e+">")}return Fl(t)}const fx=/#pragma unroll_loop_start\s+for\s*\(\s*int\s+i\s*=\s*(\d+)\s*;\s*i\s*<\s*(\d+)\s*;\s*i\s*\+\+\s*\)\s*{([\s\S]+?)}\s+#pragma unroll_loop_end/g;function oh(i){return i.replace(fx,dx)}function dx(i,e,t,n){let s="";for(let r=parseInt(e);r<parseInt(t);r++)s+=n.replace(/\[\s*i\s*\]/g,"[ "+r+" ]").replace(/UNROLLED_LOOP_INDEX/g,r);return s}function ah(i){let e=`precision ${i.precision} float;
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
#define LOW_PRECISION`),e}function px(i){let e="SHADOWMAP_TYPE_BASIC";return i.shadowMapType===Pf?e="SHADOWMAP_TYPE_PCF":i.shadowMapType===Op?e="SHADOWMAP_TYPE_PCF_SOFT":i.shadowMapType===Ci&&(e="SHADOWMAP_TYPE_VSM"),e}function mx(i){let e="ENVMAP_TYPE_CUBE";if(i.envMap)switch(i.envMapMode){case mr:case gr:e="ENVMAP_TYPE_CUBE";break;case ra:e="ENVMAP_TYPE_CUBE_UV";break}return e}function gx(i){let e="ENVMAP_MODE_REFLECTION";if(i.envMap)switch(i.envMapMode){case gr:e="ENVMAP_MODE_REFRACTION";break}return e}function _x(i){let e="ENVMAP_BLENDING_NONE";if(i.envMap)switch(i.combine){case Lf:e="ENVMAP_BLENDING_MULTIPLY";break;case lm:e="ENVMAP_BLENDING_MIX";break;case cm:e="ENVMAP_BLENDING_ADD";break}return e}function vx(i){const e=i.envMapCubeUVHeight;if(e===null)return null;const t=Math.log2(e)-2,n=1/e;return{texelWidth:1/(3*Math.max(Math.pow(2,t),7*16)),texelHeight:n,maxMip:t}}function xx(i,e,t,n){const s=i.getContext(),r=t.defines;let o=t.vertexShader,a=t.fragmentShader;const l=px(t),c=mx(t),u=gx(t),h=_x(t),f=vx(t),m=ox(t),_=ax(r),v=s.createProgram();let d,p,y=t.glslVersion?"#version "+t.glslVersion+`
`:"";t.isRawShaderMaterial?(d=["#define SHADER_TYPE "+t.shaderType,"#define SHADER_NAME "+t.shaderName,_].filter(Vr).join(`
`),d.length>0&&(d+=`
`),p=["#define SHADER_TYPE "+t.shaderType,"#define SHADER_NAME "+t.shaderName,_].filter(Vr).join(`
`),p.length>0&&(p+=`
`)):(d=[ah(t),"#define SHADER_TYPE "+t.shaderType,"#define SHADER_NAME "+t.shaderName,_,t.extensionClipCullDistance?"#define USE_CLIP_DISTANCE":"",t.batching?"#define USE_BATCHING":"",t.instancing?"#define USE_INSTANCING":"",t.instancingColor?"#define USE_INSTANCING_COLOR":"",t.instancingMorph?"#define USE_INSTANCING_MORPH":"",t.useFog&&t.fog?"#define USE_FOG":"",t.useFog&&t.fogExp2?"#define FOG_EXP2":"",t.map?"#define USE_MAP":"",t.envMap?"#define USE_ENVMAP":"",t.envMap?"#define "+u:"",t.lightMap?"#define USE_LIGHTMAP":"",t.aoMap?"#define USE_AOMAP":"",t.bumpMap?"#define USE_BUMPMAP":"",t.normalMap?"#define USE_NORMALMAP":"",t.normalMapObjectSpace?"#define USE_NORMALMAP_OBJECTSPACE":"",t.normalMapTangentSpace?"#define USE_NORMALMAP_TANGENTSPACE":"",t.displacementMap?"#define USE_DISPLACEMENTMAP":"",t.emissiveMap?"#define USE_EMISSIVEMAP":"",t.anisotropy?"#define USE_ANISOTROPY":"",t.anisotropyMap?"#define USE_ANISOTROPYMAP":"",t.clearcoatMap?"#define USE_CLEARCOATMAP":"",t.clearcoatRoughnessMap?"#define USE_CLEARCOAT_ROUGHNESSMAP":"",t.clearcoatNormalMap?"#define USE_CLEARCOAT_NORMALMAP":"",t.iridescenceMap?"#define USE_IRIDESCENCEMAP":"",t.iridescenceThicknessMap?"#define USE_IRIDESCENCE_THICKNESSMAP":"",t.specularMap?"#define USE_SPECULARMAP":"",t.specularColorMap?"#define USE_SPECULAR_COLORMAP":"",t.specularIntensityMap?"#define USE_SPECULAR_INTENSITYMAP":"",t.roughnessMap?"#define USE_ROUGHNESSMAP":"",t.metalnessMap?"#define USE_METALNESSMAP":"",t.alphaMap?"#define USE_ALPHAMAP":"",t.alphaHash?"#define USE_ALPHAHASH":"",t.transmission?"#define USE_TRANSMISSION":"",t.transmissionMap?"#define USE_TRANSMISSIONMAP":"",t.thicknessMap?"#define USE_THICKNESSMAP":"",t.sheenColorMap?"#define USE_SHEEN_COLORMAP":"",t.sheenRoughnessMap?"#define USE_SHEEN_ROUGHNESSMAP":"",t.mapUv?"#define MAP_UV "+t.mapUv:"",t.alphaMapUv?"#define ALPHAMAP_UV "+t.alphaMapUv:"",t.lightMapUv?"#define LIGHTMAP_UV "+t.lightMapUv:"",t.aoMapUv?"#define AOMAP_UV "+t.aoMapUv:"",t.emissiveMapUv?"#define EMISSIVEMAP_UV "+t.emissiveMapUv:"",t.bumpMapUv?"#define BUMPMAP_UV "+t.bumpMapUv:"",t.normalMapUv?"#define NORMALMAP_UV "+t.normalMapUv:"",t.displacementMapUv?"#define DISPLACEMENTMAP_UV "+t.displacementMapUv:"",t.metalnessMapUv?"#define METALNESSMAP_UV "+t.metalnessMapUv:"",t.roughnessMapUv?"#define ROUGHNESSMAP_UV "+t.roughnessMapUv:"",t.anisotropyMapUv?"#define ANISOTROPYMAP_UV "+t.anisotropyMapUv:"",t.clearcoatMapUv?"#define CLEARCOATMAP_UV "+t.clearcoatMapUv:"",t.clearcoatNormalMapUv?"#define CLEARCOAT_NORMALMAP_UV "+t.clearcoatNormalMapUv:"",t.clearcoatRoughnessMapUv?"#define CLEARCOAT_ROUGHNESSMAP_UV "+t.clearcoatRoughnessMapUv:"",t.iridescenceMapUv?"#define IRIDESCENCEMAP_UV "+t.iridescenceMapUv:"",t.iridescenceThicknessMapUv?"#define IRIDESCENCE_THICKNESSMAP_UV "+t.iridescenceThicknessMapUv:"",t.sheenColorMapUv?"#define SHEEN_COLORMAP_UV "+t.sheenColorMapUv:"",t.sheenRoughnessMapUv?"#define SHEEN_ROUGHNESSMAP_UV "+t.sheenRoughnessMapUv:"",t.specularMapUv?"#define SPECULARMAP_UV "+t.specularMapUv:"",t.specularColorMapUv?"#define SPECULAR_COLORMAP_UV "+t.specularColorMapUv:"",t.specularIntensityMapUv?"#define SPECULAR_INTENSITYMAP_UV "+t.specularIntensityMapUv:"",t.transmissionMapUv?"#define TRANSMISSIONMAP_UV "+t.transmissionMapUv:"",t.thicknessMapUv?"#define THICKNESSMAP_UV "+t.thicknessMapUv:"",t.vertexTangents&&t.flatShading===!1?"#define USE_TANGENT":"",t.vertexColors?"#define USE_COLOR":"",t.vertexAlphas?"#define USE_COLOR_ALPHA":"",t.vertexUv1s?"#define USE_UV1":"",t.vertexUv2s?"#define USE_UV2":"",t.vertexUv3s?"#define USE_UV3":"",t.pointsUvs?"#define USE_POINTS_UV":"",t.flatShading?"#define FLAT_SHADED":"",t.skinning?"#define USE_SKINNING":"",t.morphTargets?"#define USE_MORPHTARGETS":"",t.morphNormals&&t.flatShading===!1?"#define USE_MORPHNORMALS":"",t.morphColors?"#define USE_MORPHCOLORS":"",t.morphTargetsCount>0?"#define MORPHTARGETS_TEXTURE":"",t.morphTargetsCount>0?"#define MORPHTARGETS_TEXTURE_STRIDE "+t.morphTextureStride:"",t.morphTargetsCount>0?"#define MORPHTARGETS_COUNT "+t.morphTargetsCount:"",t.doubleSided?"#define DOUBLE_SIDED":"",t.flipSided?"#define FLIP_SIDED":"",t.shadowMapEnabled?"#define USE_SHADOWMAP":"",t.shadowMapEnabled?"#define "+l:"",t.sizeAttenuation?"#define USE_SIZEATTENUATION":"",t.numLightProbes>0?"#define USE_LIGHT_PROBES":"",t.useLegacyLights?"#define LEGACY_LIGHTS":"",t.logarithmicDepthBuffer?"#define USE_LOGDEPTHBUF":"","uniform mat4 modelMatrix;","uniform mat4 modelViewMatrix;","uniform mat4 projectionMatrix;","uniform mat4 viewMatrix;","uniform mat3 normalMatrix;","uniform vec3 cameraPosition;","uniform bool isOrthographic;","#ifdef USE_INSTANCING","	attribute mat4 instanceMatrix;","#endif","#ifdef USE_INSTANCING_COLOR","	attribute vec3 instanceColor;","#endif","#ifdef USE_INSTANCING_MORPH","	uniform sampler2D morphTexture;","#endif","attribute vec3 position;","attribute vec3 normal;","attribute vec2 uv;","#ifdef USE_UV1","	attribute vec2 uv1;","#endif","#ifdef USE_UV2","	attribute vec2 uv2;","#endif","#ifdef USE_UV3","	attribute vec2 uv3;","#endif","#ifdef USE_TANGENT","	attribute vec4 tangent;","#endif","#if defined( USE_COLOR_ALPHA )","	attribute vec4 color;","#elif defined( USE_COLOR )","	attribute vec3 color;","#endif","#if ( defined( USE_MORPHTARGETS ) && ! defined( MORPHTARGETS_TEXTURE ) )","	attribute vec3 morphTarget0;","	attribute vec3 morphTarget1;","	attribute vec3 morphTarget2;","	attribute vec3 morphTarget3;","	#ifdef USE_MORPHNORMALS","		attribute vec3 morphNormal0;","		attribute vec3 morphNormal1;","		attribute vec3 morphNormal2;","		attribute vec3 morphNormal3;","	#else","		attribute vec3 morphTarget4;","		attribute vec3 morphTarget5;","		attribute vec3 morphTarget6;","		attribute vec3 morphTarget7;","	#endif","#endif","#ifdef USE_SKINNING","	attribute vec4 skinIndex;","	attribute vec4 skinWeight;","#endif",`
`].filter(Vr).join(`
`),p=[ah(t),"#define SHADER_TYPE "+t.shaderType,"#define SHADER_NAME "+t.shaderName,_,t.useFog&&t.fog?"#define USE_FOG":"",t.useFog&&t.fogExp2?"#define FOG_EXP2":"",t.alphaToCoverage?"#define ALPHA_TO_COVERAGE":"",t.map?"#define USE_MAP":"",t.matcap?"#define USE_MATCAP":"",t.envMap?"#define USE_ENVMAP":"",t.envMap?"#define "+c:"",t.envMap?"#define "+u:"",t.envMap?"#define "+h:"",f?"#define CUBEUV_TEXEL_WIDTH "+f.texelWidth:"",f?"#define CUBEUV_TEXEL_HEIGHT "+f.texelHeight:"",f?"#define CUBEUV_MAX_MIP "+f.maxMip+".0":"",t.lightMap?"#define USE_LIGHTMAP":"",t.aoMap?"#define USE_AOMAP":"",t.bumpMap?"#define USE_BUMPMAP":"",t.normalMap?"#define USE_NORMALMAP":"",t.normalMapObjectSpace?"#define USE_NORMALMAP_OBJECTSPACE":"",t.normalMapTangentSpace?"#define USE_NORMALMAP_TANGENTSPACE":"",t.emissiveMap?"#define USE_EMISSIVEMAP":"",t.anisotropy?"#define USE_ANISOTROPY":"",t.anisotropyMap?"#define USE_ANISOTROPYMAP":"",t.clearcoat?"#define USE_CLEARCOAT":"",t.clearcoatMap?"#define USE_CLEARCOATMAP":"",t.clearcoatRoughnessMap?"#define USE_CLEARCOAT_ROUGHNESSMAP":"",t.clearcoatNormalMap?"#define USE_CLEARCOAT_NORMALMAP":"",t.dispersion?"#define USE_DISPERSION":"",t.iridescence?"#define USE_IRIDESCENCE":"",t.iridescenceMap?"#define USE_IRIDESCENCEMAP":"",t.iridescenceThicknessMap?"#define USE_IRIDESCENCE_THICKNESSMAP":"",t.specularMap?"#define USE_SPECULARMAP":"",t.specularColorMap?"#define USE_SPECULAR_COLORMAP":"",t.specularIntensityMap?"#define USE_SPECULAR_INTENSITYMAP":"",t.roughnessMap?"#define USE_ROUGHNESSMAP":"",t.metalnessMap?"#define USE_METALNESSMAP":"",t.alphaMap?"#define USE_ALPHAMAP":"",t.alphaTest?"#define USE_ALPHATEST":"",t.alphaHash?"#define USE_ALPHAHASH":"",t.sheen?"#define USE_SHEEN":"",t.sheenColorMap?"#define USE_SHEEN_COLORMAP":"",t.sheenRoughnessMap?"#define USE_SHEEN_ROUGHNESSMAP":"",t.transmission?"#define USE_TRANSMISSION":"",t.transmissionMap?"#define USE_TRANSMISSIONMAP":"",t.thicknessMap?"#define USE_THICKNESSMAP":"",t.vertexTangents&&t.flatShading===!1?"#define USE_TANGENT":"",t.vertexColors||t.instancingColor?"#define USE_COLOR":"",t.vertexAlphas?"#define USE_COLOR_ALPHA":"",t.vertexUv1s?"#define USE_UV1":"",t.vertexUv2s?"#define USE_UV2":"",t.vertexUv3s?"#define USE_UV3":"",t.pointsUvs?"#define USE_POINTS_UV":"",t.gradientMap?"#define USE_GRADIENTMAP":"",t.flatShading?"#define FLAT_SHADED":"",t.doubleSided?"#define DOUBLE_SIDED":"",t.flipSided?"#define FLIP_SIDED":"",t.shadowMapEnabled?"#define USE_SHADOWMAP":"",t.shadowMapEnabled?"#define "+l:"",t.premultipliedAlpha?"#define PREMULTIPLIED_ALPHA":"",t.numLightProbes>0?"#define USE_LIGHT_PROBES":"",t.useLegacyLights?"#define LEGACY_LIGHTS":"",t.decodeVideoTexture?"#define DECODE_VIDEO_TEXTURE":"",t.logarithmicDepthBuffer?"#define USE_LOGDEPTHBUF":"","uniform mat4 viewMatrix;","uniform vec3 cameraPosition;","uniform bool isOrthographic;",t.toneMapping!==es?"#define TONE_MAPPING":"",t.toneMapping!==es?st.tonemapping_pars_fragment:"",t.toneMapping!==es?rx("toneMapping",t.toneMapping):"",t.dithering?"#define DITHERING":"",t.opaque?"#define OPAQUE":"",st.colorspace_pars_fragment,sx("linearToOutputTexel",t.outputColorSpace),t.useDepthPacking?"#define DEPTH_PACKING "+t.depthPacking:"",`
`].filter(Vr).join(`
`)),o=Fl(o),o=sh(o,t),o=rh(o,t),a=Fl(a),a=sh(a,t),a=rh(a,t),o=oh(o),a=oh(a),t.isRawShaderMaterial!==!0&&(y=`#version 300 es
`,d=[m,"#define attribute in","#define varying out","#define texture2D texture"].join(`
`)+`
`+d,p=["#define varying in",t.glslVersion===Eu?"":"layout(location = 0) out highp vec4 pc_fragColor;",t.glslVersion===Eu?"":"#define gl_FragColor pc_fragColor","#define gl_FragDepthEXT gl_FragDepth","#define texture2D texture","#define textureCube texture","#define texture2DProj textureProj","#define texture2DLodEXT textureLod","#define texture2DProjLodEXT textureProjLod","#define textureCubeLodEXT textureLod","#define texture2DGradEXT textureGrad","#define texture2DProjGradEXT textureProjGrad","#define textureCubeGradEXT textureGrad"].join(`
`)+`
`+p);const S=y+d+o,w=y+p+a,H=nh(s,s.VERTEX_SHADER,S),T=nh(s,s.FRAGMENT_SHADER,w);s.attachShader(v,H),s.attachShader(v,T),t.index0AttributeName!==void 0?s.bindAttribLocation(v,0,t.index0AttributeName):t.morphTargets===!0&&s.bindAttribLocation(v,0,"position"),s.linkProgram(v);function R(N){if(i.debug.checkShaderErrors){const G=s.getProgramInfoLog(v).trim(),U=s.getShaderInfoLog(H).trim(),j=s.getShaderInfoLog(T).trim();let X=!0,ie=!0;if(s.getProgramParameter(v,s.LINK_STATUS)===!1)if(X=!1,typeof i.debug.onShaderError=="function")i.debug.onShaderError(s,v,H,T);else{const ee=ih(s,H,"vertex"),te=ih(s,T,"fragment");console.error("THREE.WebGLProgram: Shader Error "+s.getError()+" - VALIDATE_STATUS "+s.getProgramParameter(v,s.VALIDATE_STATUS)+`

Material Name: `+N.name+`
Material Type: `+N.type+`

Program Info Log: `+G+`
`+ee+`
`+te)}else G!==""?console.warn("THREE.WebGLProgram: Program Info Log:",G):(U===""||j==="")&&(ie=!1);ie&&(N.diagnostics={runnable:X,programLog:G,vertexShader:{log:U,prefix:d},fragmentShader:{log:j,prefix:p}})}s.deleteShader(H),s.deleteShader(T),z=new Vo(s,v),b=lx(s,v)}let z;this.getUniforms=function(){return z===void 0&&R(this),z};let b;this.getAttributes=function(){return b===void 0&&R(this),b};let x=t.rendererExtensionParallelShaderCompile===!1;return this.isReady=function(){return x===!1&&(x=s.getProgramParameter(v,ex)),x},this.destroy=function(){n.releaseStatesOfProgram(this),s.deleteProgram(v),this.program=void 0},this.type=t.shaderType,this.name=t.shaderName,this.id=tx++,this.cacheKey=e,this.usedTimes=1,this.program=v,this.vertexShader=H,this.fragmentShader=T,this}let Mx=0;class Sx{constructor(){this.shaderCache=new Map,this.materialCache=new Map}update(e){const t=e.vertexShader,n=e.fragmentShader,s=this._getShaderStage(t),r=this._getShaderStage(n),o=this._getShaderCacheForMaterial(e);return o.has(s)===!1&&(o.add(s),s.usedTimes++),o.has(r)===!1&&(o.add(r),r.usedTimes++),this}remove(e){const t=this.materialCache.get(e);for(const n of t)n.usedTimes--,n.usedTimes===0&&this.shaderCache.delete(n.code);return this.materialCache.delete(e),this}getVertexShaderID(e){return this._getShaderStage(e.vertexShader).id}getFragmentShaderID(e){return this._getShaderStage(e.fragmentShader).id}dispose(){this.shaderCache.clear(),this.materialCache.clear()}_getShaderCacheForMaterial(e){const t=this.materialCache;let n=t.get(e);return n===void 0&&(n=new Set,t.set(e,n)),n}_getShaderStage(e){const t=this.shaderCache;let n=t.get(e);return n===void 0&&(n=new yx(e),t.set(e,n)),n}}class yx{constructor(e){this.id=Mx++,this.code=e,this.usedTimes=0}}function Ex(i,e,t,n,s,r,o){const a=new tc,l=new Sx,c=new Set,u=[],h=s.logarithmicDepthBuffer,f=s.vertexTextures;let m=s.precision;const _={MeshDepthMaterial:"depth",MeshDistanceMaterial:"distanceRGBA",MeshNormalMaterial:"normal",MeshBasicMaterial:"basic",MeshLambertMaterial:"lambert",MeshPhongMaterial:"phong",MeshToonMaterial:"toon",MeshStandardMaterial:"physical",MeshPhysicalMaterial:"physical",MeshMatcapMaterial:"matcap",LineBasicMaterial:"basic",LineDashedMaterial:"dashed",PointsMaterial:"points",ShadowMaterial:"shadow",SpriteMaterial:"sprite"};function v(b){return c.add(b),b===0?"uv":`uv${b}`}function d(b,x,N,G,U){const j=G.fog,X=U.geometry,ie=b.isMeshStandardMaterial?G.environment:null,ee=(b.isMeshStandardMaterial?t:e).get(b.envMap||ie),te=ee&&ee.mapping===ra?ee.image.height:null,K=_[b.type];b.precision!==null&&(m=s.getMaxPrecision(b.precision),m!==b.precision&&console.warn("THREE.WebGLProgram.getParameters:",b.precision,"not supported, using",m,"instead."));const Y=X.morphAttributes.position||X.morphAttributes.normal||X.morphAttributes.color,fe=Y!==void 0?Y.length:0;let P=0;X.morphAttributes.position!==void 0&&(P=1),X.morphAttributes.normal!==void 0&&(P=2),X.morphAttributes.color!==void 0&&(P=3);let V,I,Z,le;if(K){const lt=pi[K];V=lt.vertexShader,I=lt.fragmentShader}else V=b.vertexShader,I=b.fragmentShader,l.update(b),Z=l.getVertexShaderID(b),le=l.getFragmentShaderID(b);const B=i.getRenderTarget(),se=U.isInstancedMesh===!0,q=U.isBatchedMesh===!0,F=!!b.map,ve=!!b.matcap,ge=!!ee,Re=!!b.aoMap,Me=!!b.lightMap,Ce=!!b.bumpMap,Ne=!!b.normalMap,qe=!!b.displacementMap,_t=!!b.emissiveMap,k=!!b.metalnessMap,A=!!b.roughnessMap,ce=b.anisotropy>0,pe=b.clearcoat>0,xe=b.dispersion>0,he=b.iridescence>0,de=b.sheen>0,Se=b.transmission>0,Ee=ce&&!!b.anisotropyMap,Xe=pe&&!!b.clearcoatMap,we=pe&&!!b.clearcoatNormalMap,ke=pe&&!!b.clearcoatRoughnessMap,Qe=he&&!!b.iridescenceMap,Be=he&&!!b.iridescenceThicknessMap,Pe=de&&!!b.sheenColorMap,Ve=de&&!!b.sheenRoughnessMap,$e=!!b.specularMap,ht=!!b.specularColorMap,Ze=!!b.specularIntensityMap,M=Se&&!!b.transmissionMap,J=Se&&!!b.thicknessMap,re=!!b.gradientMap,_e=!!b.alphaMap,Ae=b.alphaTest>0,et=!!b.alphaHash,it=!!b.extensions;let bt=es;b.toneMapped&&(B===null||B.isXRRenderTarget===!0)&&(bt=i.toneMapping);const zt={shaderID:K,shaderType:b.type,shaderName:b.name,vertexShader:V,fragmentShader:I,defines:b.defines,customVertexShaderID:Z,customFragmentShaderID:le,isRawShaderMaterial:b.isRawShaderMaterial===!0,glslVersion:b.glslVersion,precision:m,batching:q,instancing:se,instancingColor:se&&U.instanceColor!==null,instancingMorph:se&&U.morphTexture!==null,supportsVertexTextures:f,outputColorSpace:B===null?i.outputColorSpace:B.isXRRenderTarget===!0?B.texture.colorSpace:Fi,alphaToCoverage:!!b.alphaToCoverage,map:F,matcap:ve,envMap:ge,envMapMode:ge&&ee.mapping,envMapCubeUVHeight:te,aoMap:Re,lightMap:Me,bumpMap:Ce,normalMap:Ne,displacementMap:f&&qe,emissiveMap:_t,normalMapObjectSpace:Ne&&b.normalMapType===Lm,normalMapTangentSpace:Ne&&b.normalMapType===Pm,metalnessMap:k,roughnessMap:A,anisotropy:ce,anisotropyMap:Ee,clearcoat:pe,clearcoatMap:Xe,clearcoatNormalMap:we,clearcoatRoughnessMap:ke,dispersion:xe,iridescence:he,iridescenceMap:Qe,iridescenceThicknessMap:Be,sheen:de,sheenColorMap:Pe,sheenRoughnessMap:Ve,specularMap:$e,specularColorMap:ht,specularIntensityMap:Ze,transmission:Se,transmissionMap:M,thicknessMap:J,gradientMap:re,opaque:b.transparent===!1&&b.blending===ur&&b.alphaToCoverage===!1,alphaMap:_e,alphaTest:Ae,alphaHash:et,combine:b.combine,mapUv:F&&v(b.map.channel),aoMapUv:Re&&v(b.aoMap.channel),lightMapUv:Me&&v(b.lightMap.channel),bumpMapUv:Ce&&v(b.bumpMap.channel),normalMapUv:Ne&&v(b.normalMap.channel),displacementMapUv:qe&&v(b.displacementMap.channel),emissiveMapUv:_t&&v(b.emissiveMap.channel),metalnessMapUv:k&&v(b.metalnessMap.channel),roughnessMapUv:A&&v(b.roughnessMap.channel),anisotropyMapUv:Ee&&v(b.anisotropyMap.channel),clearcoatMapUv:Xe&&v(b.clearcoatMap.channel),clearcoatNormalMapUv:we&&v(b.clearcoatNormalMap.channel),clearcoatRoughnessMapUv:ke&&v(b.clearcoatRoughnessMap.channel),iridescenceMapUv:Qe&&v(b.iridescenceMap.channel),iridescenceThicknessMapUv:Be&&v(b.iridescenceThicknessMap.channel),sheenColorMapUv:Pe&&v(b.sheenColorMap.channel),sheenRoughnessMapUv:Ve&&v(b.sheenRoughnessMap.channel),specularMapUv:$e&&v(b.specularMap.channel),specularColorMapUv:ht&&v(b.specularColorMap.channel),specularIntensityMapUv:Ze&&v(b.specularIntensityMap.channel),transmissionMapUv:M&&v(b.transmissionMap.channel),thicknessMapUv:J&&v(b.thicknessMap.channel),alphaMapUv:_e&&v(b.alphaMap.channel),vertexTangents:!!X.attributes.tangent&&(Ne||ce),vertexColors:b.vertexColors,vertexAlphas:b.vertexColors===!0&&!!X.attributes.color&&X.attributes.color.itemSize===4,pointsUvs:U.isPoints===!0&&!!X.attributes.uv&&(F||_e),fog:!!j,useFog:b.fog===!0,fogExp2:!!j&&j.isFogExp2,flatShading:b.flatShading===!0,sizeAttenuation:b.sizeAttenuation===!0,logarithmicDepthBuffer:h,skinning:U.isSkinnedMesh===!0,morphTargets:X.morphAttributes.position!==void 0,morphNormals:X.morphAttributes.normal!==void 0,morphColors:X.morphAttributes.color!==void 0,morphTargetsCount:fe,morphTextureStride:P,numDirLights:x.directional.length,numPointLights:x.point.length,numSpotLights:x.spot.length,numSpotLightMaps:x.spotLightMap.length,numRectAreaLights:x.rectArea.length,numHemiLights:x.hemi.length,numDirLightShadows:x.directionalShadowMap.length,numPointLightShadows:x.pointShadowMap.length,numSpotLightShadows:x.spotShadowMap.length,numSpotLightShadowsWithMaps:x.numSpotLightShadowsWithMaps,numLightProbes:x.numLightProbes,numClippingPlanes:o.numPlanes,numClipIntersection:o.numIntersection,dithering:b.dithering,shadowMapEnabled:i.shadowMap.enabled&&N.length>0,shadowMapType:i.shadowMap.type,toneMapping:bt,useLegacyLights:i._useLegacyLights,decodeVideoTexture:F&&b.map.isVideoTexture===!0&&vt.getTransfer(b.map.colorSpace)===Pt,premultipliedAlpha:b.premultipliedAlpha,doubleSided:b.side===mi,flipSided:b.side===Tn,useDepthPacking:b.depthPacking>=0,depthPacking:b.depthPacking||0,index0AttributeName:b.index0AttributeName,extensionClipCullDistance:it&&b.extensions.clipCullDistance===!0&&n.has("WEBGL_clip_cull_distance"),extensionMultiDraw:it&&b.extensions.multiDraw===!0&&n.has("WEBGL_multi_draw"),rendererExtensionParallelShaderCompile:n.has("KHR_parallel_shader_compile"),customProgramCacheKey:b.customProgramCacheKey()};return zt.vertexUv1s=c.has(1),zt.vertexUv2s=c.has(2),zt.vertexUv3s=c.has(3),c.clear(),zt}function p(b){const x=[];if(b.shaderID?x.push(b.shaderID):(x.push(b.customVertexShaderID),x.push(b.customFragmentShaderID)),b.defines!==void 0)for(const N in b.defines)x.push(N),x.push(b.defines[N]);return b.isRawShaderMaterial===!1&&(y(x,b),S(x,b),x.push(i.outputColorSpace)),x.push(b.customProgramCacheKey),x.join()}function y(b,x){b.push(x.precision),b.push(x.outputColorSpace),b.push(x.envMapMode),b.push(x.envMapCubeUVHeight),b.push(x.mapUv),b.push(x.alphaMapUv),b.push(x.lightMapUv),b.push(x.aoMapUv),b.push(x.bumpMapUv),b.push(x.normalMapUv),b.push(x.displacementMapUv),b.push(x.emissiveMapUv),b.push(x.metalnessMapUv),b.push(x.roughnessMapUv),b.push(x.anisotropyMapUv),b.push(x.clearcoatMapUv),b.push(x.clearcoatNormalMapUv),b.push(x.clearcoatRoughnessMapUv),b.push(x.iridescenceMapUv),b.push(x.iridescenceThicknessMapUv),b.push(x.sheenColorMapUv),b.push(x.sheenRoughnessMapUv),b.push(x.specularMapUv),b.push(x.specularColorMapUv),b.push(x.specularIntensityMapUv),b.push(x.transmissionMapUv),b.push(x.thicknessMapUv),b.push(x.combine),b.push(x.fogExp2),b.push(x.sizeAttenuation),b.push(x.morphTargetsCount),b.push(x.morphAttributeCount),b.push(x.numDirLights),b.push(x.numPointLights),b.push(x.numSpotLights),b.push(x.numSpotLightMaps),b.push(x.numHemiLights),b.push(x.numRectAreaLights),b.push(x.numDirLightShadows),b.push(x.numPointLightShadows),b.push(x.numSpotLightShadows),b.push(x.numSpotLightShadowsWithMaps),b.push(x.numLightProbes),b.push(x.shadowMapType),b.push(x.toneMapping),b.push(x.numClippingPlanes),b.push(x.numClipIntersection),b.push(x.depthPacking)}function S(b,x){a.disableAll(),x.supportsVertexTextures&&a.enable(0),x.instancing&&a.enable(1),x.instancingColor&&a.enable(2),x.instancingMorph&&a.enable(3),x.matcap&&a.enable(4),x.envMap&&a.enable(5),x.normalMapObjectSpace&&a.enable(6),x.normalMapTangentSpace&&a.enable(7),x.clearcoat&&a.enable(8),x.iridescence&&a.enable(9),x.alphaTest&&a.enable(10),x.vertexColors&&a.enable(11),x.vertexAlphas&&a.enable(12),x.vertexUv1s&&a.enable(13),x.vertexUv2s&&a.enable(14),x.vertexUv3s&&a.enable(15),x.vertexTangents&&a.enable(16),x.anisotropy&&a.enable(17),x.alphaHash&&a.enable(18),x.batching&&a.enable(19),x.dispersion&&a.enable(20),b.push(a.mask),a.disableAll(),x.fog&&a.enable(0),x.useFog&&a.enable(1),x.flatShading&&a.enable(2),x.logarithmicDepthBuffer&&a.enable(3),x.skinning&&a.enable(4),x.morphTargets&&a.enable(5),x.morphNormals&&a.enable(6),x.morphColors&&a.enable(7),x.premultipliedAlpha&&a.enable(8),x.shadowMapEnabled&&a.enable(9),x.useLegacyLights&&a.enable(10),x.doubleSided&&a.enable(11),x.flipSided&&a.enable(12),x.useDepthPacking&&a.enable(13),x.dithering&&a.enable(14),x.transmission&&a.enable(15),x.sheen&&a.enable(16),x.opaque&&a.enable(17),x.pointsUvs&&a.enable(18),x.decodeVideoTexture&&a.enable(19),x.alphaToCoverage&&a.enable(20),b.push(a.mask)}function w(b){const x=_[b.type];let N;if(x){const G=pi[x];N=og.clone(G.uniforms)}else N=b.uniforms;return N}function H(b,x){let N;for(let G=0,U=u.length;G<U;G++){const j=u[G];if(j.cacheKey===x){N=j,++N.usedTimes;break}}return N===void 0&&(N=new xx(i,x,b,r),u.push(N)),N}function T(b){if(--b.usedTimes===0){const x=u.indexOf(b);u[x]=u[u.length-1],u.pop(),b.destroy()}}function R(b){l.remove(b)}function z(){l.dispose()}return{getParameters:d,getProgramCacheKey:p,getUniforms:w,acquireProgram:H,releaseProgram:T,releaseShaderCache:R,programs:u,dispose:z}}function bx(){let i=new WeakMap;function e(r){let o=i.get(r);return o===void 0&&(o={},i.set(r,o)),o}function t(r){i.delete(r)}function n(r,o,a){i.get(r)[o]=a}function s(){i=new WeakMap}return{get:e,remove:t,update:n,dispose:s}}function wx(i,e){return i.groupOrder!==e.groupOrder?i.groupOrder-e.groupOrder:i.renderOrder!==e.renderOrder?i.renderOrder-e.renderOrder:i.material.id!==e.material.id?i.material.id-e.material.id:i.z!==e.z?i.z-e.z:i.id-e.id}function lh(i,e){return i.groupOrder!==e.groupOrder?i.groupOrder-e.groupOrder:i.renderOrder!==e.renderOrder?i.renderOrder-e.renderOrder:i.z!==e.z?e.z-i.z:i.id-e.id}function ch(){const i=[];let e=0;const t=[],n=[],s=[];function r(){e=0,t.length=0,n.length=0,s.length=0}function o(h,f,m,_,v,d){let p=i[e];return p===void 0?(p={id:h.id,object:h,geometry:f,material:m,groupOrder:_,renderOrder:h.renderOrder,z:v,group:d},i[e]=p):(p.id=h.id,p.object=h,p.geometry=f,p.material=m,p.groupOrder=_,p.renderOrder=h.renderOrder,p.z=v,p.group=d),e++,p}function a(h,f,m,_,v,d){const p=o(h,f,m,_,v,d);m.transmission>0?n.push(p):m.transparent===!0?s.push(p):t.push(p)}function l(h,f,m,_,v,d){const p=o(h,f,m,_,v,d);m.transmission>0?n.unshift(p):m.transparent===!0?s.unshift(p):t.unshift(p)}function c(h,f){t.length>1&&t.sort(h||wx),n.length>1&&n.sort(f||lh),s.length>1&&s.sort(f||lh)}function u(){for(let h=e,f=i.length;h<f;h++){const m=i[h];if(m.id===null)break;m.id=null,m.object=null,m.geometry=null,m.material=null,m.group=null}}return{opaque:t,transmissive:n,transparent:s,init:r,push:a,unshift:l,finish:u,sort:c}}function Tx(){let i=new WeakMap;function e(n,s){const r=i.get(n);let o;return r===void 0?(o=new ch,i.set(n,[o])):s>=r.length?(o=new ch,r.push(o)):o=r[s],o}function t(){i=new WeakMap}return{get:e,dispose:t}}function Ax(){const i={};return{get:function(e){if(i[e.id]!==void 0)return i[e.id];let t;switch(e.type){case"DirectionalLight":t={direction:new $,color:new St};break;case"SpotLight":t={position:new $,direction:new $,color:new St,distance:0,coneCos:0,penumbraCos:0,decay:0};break;case"PointLight":t={position:new $,color:new St,distance:0,decay:0};break;case"HemisphereLight":t={direction:new $,skyColor:new St,groundColor:new St};break;case"RectAreaLight":t={color:new St,position:new $,halfWidth:new $,halfHeight:new $};break}return i[e.id]=t,t}}}function Rx(){const i={};return{get:function(e){if(i[e.id]!==void 0)return i[e.id];let t;switch(e.type){case"DirectionalLight":t={shadowBias:0,shadowNormalBias:0,shadowRadius:1,shadowMapSize:new ze};break;case"SpotLight":t={shadowBias:0,shadowNormalBias:0,shadowRadius:1,shadowMapSize:new ze};break;case"PointLight":t={shadowBias:0,shadowNormalBias:0,shadowRadius:1,shadowMapSize:new ze,shadowCameraNear:1,shadowCameraFar:1e3};break}return i[e.id]=t,t}}}let Cx=0;function Px(i,e){return(e.castShadow?2:0)-(i.castShadow?2:0)+(e.map?1:0)-(i.map?1:0)}function Lx(i){const e=new Ax,t=Rx(),n={version:0,hash:{directionalLength:-1,pointLength:-1,spotLength:-1,rectAreaLength:-1,hemiLength:-1,numDirectionalShadows:-1,numPointShadows:-1,numSpotShadows:-1,numSpotMaps:-1,numLightProbes:-1},ambient:[0,0,0],probe:[],directional:[],directionalShadow:[],directionalShadowMap:[],directionalShadowMatrix:[],spot:[],spotLightMap:[],spotShadow:[],spotShadowMap:[],spotLightMatrix:[],rectArea:[],rectAreaLTC1:null,rectAreaLTC2:null,point:[],pointShadow:[],pointShadowMap:[],pointShadowMatrix:[],hemi:[],numSpotLightShadowsWithMaps:0,numLightProbes:0};for(let c=0;c<9;c++)n.probe.push(new $);const s=new $,r=new Bt,o=new Bt;function a(c,u){let h=0,f=0,m=0;for(let N=0;N<9;N++)n.probe[N].set(0,0,0);let _=0,v=0,d=0,p=0,y=0,S=0,w=0,H=0,T=0,R=0,z=0;c.sort(Px);const b=u===!0?Math.PI:1;for(let N=0,G=c.length;N<G;N++){const U=c[N],j=U.color,X=U.intensity,ie=U.distance,ee=U.shadow&&U.shadow.map?U.shadow.map.texture:null;if(U.isAmbientLight)h+=j.r*X*b,f+=j.g*X*b,m+=j.b*X*b;else if(U.isLightProbe){for(let te=0;te<9;te++)n.probe[te].addScaledVector(U.sh.coefficients[te],X);z++}else if(U.isDirectionalLight){const te=e.get(U);if(te.color.copy(U.color).multiplyScalar(U.intensity*b),U.castShadow){const K=U.shadow,Y=t.get(U);Y.shadowBias=K.bias,Y.shadowNormalBias=K.normalBias,Y.shadowRadius=K.radius,Y.shadowMapSize=K.mapSize,n.directionalShadow[_]=Y,n.directionalShadowMap[_]=ee,n.directionalShadowMatrix[_]=U.shadow.matrix,S++}n.directional[_]=te,_++}else if(U.isSpotLight){const te=e.get(U);te.position.setFromMatrixPosition(U.matrixWorld),te.color.copy(j).multiplyScalar(X*b),te.distance=ie,te.coneCos=Math.cos(U.angle),te.penumbraCos=Math.cos(U.angle*(1-U.penumbra)),te.decay=U.decay,n.spot[d]=te;const K=U.shadow;if(U.map&&(n.spotLightMap[T]=U.map,T++,K.updateMatrices(U),U.castShadow&&R++),n.spotLightMatrix[d]=K.matrix,U.castShadow){const Y=t.get(U);Y.shadowBias=K.bias,Y.shadowNormalBias=K.normalBias,Y.shadowRadius=K.radius,Y.shadowMapSize=K.mapSize,n.spotShadow[d]=Y,n.spotShadowMap[d]=ee,H++}d++}else if(U.isRectAreaLight){const te=e.get(U);te.color.copy(j).multiplyScalar(X),te.halfWidth.set(U.width*.5,0,0),te.halfHeight.set(0,U.height*.5,0),n.rectArea[p]=te,p++}else if(U.isPointLight){const te=e.get(U);if(te.color.copy(U.color).multiplyScalar(U.intensity*b),te.distance=U.distance,te.decay=U.decay,U.castShadow){const K=U.shadow,Y=t.get(U);Y.shadowBias=K.bias,Y.shadowNormalBias=K.normalBias,Y.shadowRadius=K.radius,Y.shadowMapSize=K.mapSize,Y.shadowCameraNear=K.camera.near,Y.shadowCameraFar=K.camera.far,n.pointShadow[v]=Y,n.pointShadowMap[v]=ee,n.pointShadowMatrix[v]=U.shadow.matrix,w++}n.point[v]=te,v++}else if(U.isHemisphereLight){const te=e.get(U);te.skyColor.copy(U.color).multiplyScalar(X*b),te.groundColor.copy(U.groundColor).multiplyScalar(X*b),n.hemi[y]=te,y++}}p>0&&(i.has("OES_texture_float_linear")===!0?(n.rectAreaLTC1=Ue.LTC_FLOAT_1,n.rectAreaLTC2=Ue.LTC_FLOAT_2):(n.rectAreaLTC1=Ue.LTC_HALF_1,n.rectAreaLTC2=Ue.LTC_HALF_2)),n.ambient[0]=h,n.ambient[1]=f,n.ambient[2]=m;const x=n.hash;(x.directionalLength!==_||x.pointLength!==v||x.spotLength!==d||x.rectAreaLength!==p||x.hemiLength!==y||x.numDirectionalShadows!==S||x.numPointShadows!==w||x.numSpotShadows!==H||x.numSpotMaps!==T||x.numLightProbes!==z)&&(n.directional.length=_,n.spot.length=d,n.rectArea.length=p,n.point.length=v,n.hemi.length=y,n.directionalShadow.length=S,n.directionalShadowMap.length=S,n.pointShadow.length=w,n.pointShadowMap.length=w,n.spotShadow.length=H,n.spotShadowMap.length=H,n.directionalShadowMatrix.length=S,n.pointShadowMatrix.length=w,n.spotLightMatrix.length=H+T-R,n.spotLightMap.length=T,n.numSpotLightShadowsWithMaps=R,n.numLightProbes=z,x.directionalLength=_,x.pointLength=v,x.spotLength=d,x.rectAreaLength=p,x.hemiLength=y,x.numDirectionalShadows=S,x.numPointShadows=w,x.numSpotShadows=H,x.numSpotMaps=T,x.numLightProbes=z,n.version=Cx++)}function l(c,u){let h=0,f=0,m=0,_=0,v=0;const d=u.matrixWorldInverse;for(let p=0,y=c.length;p<y;p++){const S=c[p];if(S.isDirectionalLight){const w=n.directional[h];w.direction.setFromMatrixPosition(S.matrixWorld),s.setFromMatrixPosition(S.target.matrixWorld),w.direction.sub(s),w.direction.transformDirection(d),h++}else if(S.isSpotLight){const w=n.spot[m];w.position.setFromMatrixPosition(S.matrixWorld),w.position.applyMatrix4(d),w.direction.setFromMatrixPosition(S.matrixWorld),s.setFromMatrixPosition(S.target.matrixWorld),w.direction.sub(s),w.direction.transformDirection(d),m++}else if(S.isRectAreaLight){const w=n.rectArea[_];w.position.setFromMatrixPosition(S.matrixWorld),w.position.applyMatrix4(d),o.identity(),r.copy(S.matrixWorld),r.premultiply(d),o.extractRotation(r),w.halfWidth.set(S.width*.5,0,0),w.halfHeight.set(0,S.height*.5,0),w.halfWidth.applyMatrix4(o),w.halfHeight.applyMatrix4(o),_++}else if(S.isPointLight){const w=n.point[f];w.position.setFromMatrixPosition(S.matrixWorld),w.position.applyMatrix4(d),f++}else if(S.isHemisphereLight){const w=n.hemi[v];w.direction.setFromMatrixPosition(S.matrixWorld),w.direction.transformDirection(d),v++}}}return{setup:a,setupView:l,state:n}}function uh(i){const e=new Lx(i),t=[],n=[];function s(u){c.camera=u,t.length=0,n.length=0}function r(u){t.push(u)}function o(u){n.push(u)}function a(u){e.setup(t,u)}function l(u){e.setupView(t,u)}const c={lightsArray:t,shadowsArray:n,camera:null,lights:e,transmissionRenderTarget:{}};return{init:s,state:c,setupLights:a,setupLightsView:l,pushLight:r,pushShadow:o}}function Dx(i){let e=new WeakMap;function t(s,r=0){const o=e.get(s);let a;return o===void 0?(a=new uh(i),e.set(s,[a])):r>=o.length?(a=new uh(i),o.push(a)):a=o[r],a}function n(){e=new WeakMap}return{get:t,dispose:n}}class Ux extends la{constructor(e){super(),this.isMeshDepthMaterial=!0,this.type="MeshDepthMaterial",this.depthPacking=Rm,this.map=null,this.alphaMap=null,this.displacementMap=null,this.displacementScale=1,this.displacementBias=0,this.wireframe=!1,this.wireframeLinewidth=1,this.setValues(e)}copy(e){return super.copy(e),this.depthPacking=e.depthPacking,this.map=e.map,this.alphaMap=e.alphaMap,this.displacementMap=e.displacementMap,this.displacementScale=e.displacementScale,this.displacementBias=e.displacementBias,this.wireframe=e.wireframe,this.wireframeLinewidth=e.wireframeLinewidth,this}}class Ix extends la{constructor(e){super(),this.isMeshDistanceMaterial=!0,this.type="MeshDistanceMaterial",this.map=null,this.alphaMap=null,this.displacementMap=null,this.displacementScale=1,this.displacementBias=0,this.setValues(e)}copy(e){return super.copy(e),this.map=e.map,this.alphaMap=e.alphaMap,this.displacementMap=e.displacementMap,this.displacementScale=e.displacementScale,this.displacementBias=e.displacementBias,this}}const Nx=`void main() {
	gl_Position = vec4( position, 1.0 );
}`,Ox=`uniform sampler2D shadow_pass;
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
}`;function Fx(i,e,t){let n=new jf;const s=new ze,r=new ze,o=new un,a=new Ux({depthPacking:Cm}),l=new Ix,c={},u=t.maxTextureSize,h={[ts]:Tn,[Tn]:ts,[mi]:mi},f=new Oi({defines:{VSM_SAMPLES:8},uniforms:{shadow_pass:{value:null},resolution:{value:new ze},radius:{value:4}},vertexShader:Nx,fragmentShader:Ox}),m=f.clone();m.defines.HORIZONTAL_PASS=1;const _=new Mi;_.setAttribute("position",new Fn(new Float32Array([-1,-1,.5,3,-1,.5,-1,3,.5]),3));const v=new Nn(_,f),d=this;this.enabled=!1,this.autoUpdate=!0,this.needsUpdate=!1,this.type=Pf;let p=this.type;this.render=function(T,R,z){if(d.enabled===!1||d.autoUpdate===!1&&d.needsUpdate===!1||T.length===0)return;const b=i.getRenderTarget(),x=i.getActiveCubeFace(),N=i.getActiveMipmapLevel(),G=i.state;G.setBlending(Qi),G.buffers.color.setClear(1,1,1,1),G.buffers.depth.setTest(!0),G.setScissorTest(!1);const U=p!==Ci&&this.type===Ci,j=p===Ci&&this.type!==Ci;for(let X=0,ie=T.length;X<ie;X++){const ee=T[X],te=ee.shadow;if(te===void 0){console.warn("THREE.WebGLShadowMap:",ee,"has no shadow.");continue}if(te.autoUpdate===!1&&te.needsUpdate===!1)continue;s.copy(te.mapSize);const K=te.getFrameExtents();if(s.multiply(K),r.copy(te.mapSize),(s.x>u||s.y>u)&&(s.x>u&&(r.x=Math.floor(u/K.x),s.x=r.x*K.x,te.mapSize.x=r.x),s.y>u&&(r.y=Math.floor(u/K.y),s.y=r.y*K.y,te.mapSize.y=r.y)),te.map===null||U===!0||j===!0){const fe=this.type!==Ci?{minFilter:qn,magFilter:qn}:{};te.map!==null&&te.map.dispose(),te.map=new ws(s.x,s.y,fe),te.map.texture.name=ee.name+".shadowMap",te.camera.updateProjectionMatrix()}i.setRenderTarget(te.map),i.clear();const Y=te.getViewportCount();for(let fe=0;fe<Y;fe++){const P=te.getViewport(fe);o.set(r.x*P.x,r.y*P.y,r.x*P.z,r.y*P.w),G.viewport(o),te.updateMatrices(ee,fe),n=te.getFrustum(),w(R,z,te.camera,ee,this.type)}te.isPointLightShadow!==!0&&this.type===Ci&&y(te,z),te.needsUpdate=!1}p=this.type,d.needsUpdate=!1,i.setRenderTarget(b,x,N)};function y(T,R){const z=e.update(v);f.defines.VSM_SAMPLES!==T.blurSamples&&(f.defines.VSM_SAMPLES=T.blurSamples,m.defines.VSM_SAMPLES=T.blurSamples,f.needsUpdate=!0,m.needsUpdate=!0),T.mapPass===null&&(T.mapPass=new ws(s.x,s.y)),f.uniforms.shadow_pass.value=T.map.texture,f.uniforms.resolution.value=T.mapSize,f.uniforms.radius.value=T.radius,i.setRenderTarget(T.mapPass),i.clear(),i.renderBufferDirect(R,null,z,f,v,null),m.uniforms.shadow_pass.value=T.mapPass.texture,m.uniforms.resolution.value=T.mapSize,m.uniforms.radius.value=T.radius,i.setRenderTarget(T.map),i.clear(),i.renderBufferDirect(R,null,z,m,v,null)}function S(T,R,z,b){let x=null;const N=z.isPointLight===!0?T.customDistanceMaterial:T.customDepthMaterial;if(N!==void 0)x=N;else if(x=z.isPointLight===!0?l:a,i.localClippingEnabled&&R.clipShadows===!0&&Array.isArray(R.clippingPlanes)&&R.clippingPlanes.length!==0||R.displacementMap&&R.displacementScale!==0||R.alphaMap&&R.alphaTest>0||R.map&&R.alphaTest>0){const G=x.uuid,U=R.uuid;let j=c[G];j===void 0&&(j={},c[G]=j);let X=j[U];X===void 0&&(X=x.clone(),j[U]=X,R.addEventListener("dispose",H)),x=X}if(x.visible=R.visible,x.wireframe=R.wireframe,b===Ci?x.side=R.shadowSide!==null?R.shadowSide:R.side:x.side=R.shadowSide!==null?R.shadowSide:h[R.side],x.alphaMap=R.alphaMap,x.alphaTest=R.alphaTest,x.map=R.map,x.clipShadows=R.clipShadows,x.clippingPlanes=R.clippingPlanes,x.clipIntersection=R.clipIntersection,x.displacementMap=R.displacementMap,x.displacementScale=R.displacementScale,x.displacementBias=R.displacementBias,x.wireframeLinewidth=R.wireframeLinewidth,x.linewidth=R.linewidth,z.isPointLight===!0&&x.isMeshDistanceMaterial===!0){const G=i.properties.get(x);G.light=z}return x}function w(T,R,z,b,x){if(T.visible===!1)return;if(T.layers.test(R.layers)&&(T.isMesh||T.isLine||T.isPoints)&&(T.castShadow||T.receiveShadow&&x===Ci)&&(!T.frustumCulled||n.intersectsObject(T))){T.modelViewMatrix.multiplyMatrices(z.matrixWorldInverse,T.matrixWorld);const U=e.update(T),j=T.material;if(Array.isArray(j)){const X=U.groups;for(let ie=0,ee=X.length;ie<ee;ie++){const te=X[ie],K=j[te.materialIndex];if(K&&K.visible){const Y=S(T,K,b,x);T.onBeforeShadow(i,T,R,z,U,Y,te),i.renderBufferDirect(z,null,U,Y,T,te),T.onAfterShadow(i,T,R,z,U,Y,te)}}}else if(j.visible){const X=S(T,j,b,x);T.onBeforeShadow(i,T,R,z,U,X,null),i.renderBufferDirect(z,null,U,X,T,null),T.onAfterShadow(i,T,R,z,U,X,null)}}const G=T.children;for(let U=0,j=G.length;U<j;U++)w(G[U],R,z,b,x)}function H(T){T.target.removeEventListener("dispose",H);for(const z in c){const b=c[z],x=T.target.uuid;x in b&&(b[x].dispose(),delete b[x])}}}function kx(i){function e(){let M=!1;const J=new un;let re=null;const _e=new un(0,0,0,0);return{setMask:function(Ae){re!==Ae&&!M&&(i.colorMask(Ae,Ae,Ae,Ae),re=Ae)},setLocked:function(Ae){M=Ae},setClear:function(Ae,et,it,bt,zt){zt===!0&&(Ae*=bt,et*=bt,it*=bt),J.set(Ae,et,it,bt),_e.equals(J)===!1&&(i.clearColor(Ae,et,it,bt),_e.copy(J))},reset:function(){M=!1,re=null,_e.set(-1,0,0,0)}}}function t(){let M=!1,J=null,re=null,_e=null;return{setTest:function(Ae){Ae?le(i.DEPTH_TEST):B(i.DEPTH_TEST)},setMask:function(Ae){J!==Ae&&!M&&(i.depthMask(Ae),J=Ae)},setFunc:function(Ae){if(re!==Ae){switch(Ae){case tm:i.depthFunc(i.NEVER);break;case nm:i.depthFunc(i.ALWAYS);break;case im:i.depthFunc(i.LESS);break;case Yo:i.depthFunc(i.LEQUAL);break;case sm:i.depthFunc(i.EQUAL);break;case rm:i.depthFunc(i.GEQUAL);break;case om:i.depthFunc(i.GREATER);break;case am:i.depthFunc(i.NOTEQUAL);break;default:i.depthFunc(i.LEQUAL)}re=Ae}},setLocked:function(Ae){M=Ae},setClear:function(Ae){_e!==Ae&&(i.clearDepth(Ae),_e=Ae)},reset:function(){M=!1,J=null,re=null,_e=null}}}function n(){let M=!1,J=null,re=null,_e=null,Ae=null,et=null,it=null,bt=null,zt=null;return{setTest:function(lt){M||(lt?le(i.STENCIL_TEST):B(i.STENCIL_TEST))},setMask:function(lt){J!==lt&&!M&&(i.stencilMask(lt),J=lt)},setFunc:function(lt,It,ut){(re!==lt||_e!==It||Ae!==ut)&&(i.stencilFunc(lt,It,ut),re=lt,_e=It,Ae=ut)},setOp:function(lt,It,ut){(et!==lt||it!==It||bt!==ut)&&(i.stencilOp(lt,It,ut),et=lt,it=It,bt=ut)},setLocked:function(lt){M=lt},setClear:function(lt){zt!==lt&&(i.clearStencil(lt),zt=lt)},reset:function(){M=!1,J=null,re=null,_e=null,Ae=null,et=null,it=null,bt=null,zt=null}}}const s=new e,r=new t,o=new n,a=new WeakMap,l=new WeakMap;let c={},u={},h=new WeakMap,f=[],m=null,_=!1,v=null,d=null,p=null,y=null,S=null,w=null,H=null,T=new St(0,0,0),R=0,z=!1,b=null,x=null,N=null,G=null,U=null;const j=i.getParameter(i.MAX_COMBINED_TEXTURE_IMAGE_UNITS);let X=!1,ie=0;const ee=i.getParameter(i.VERSION);ee.indexOf("WebGL")!==-1?(ie=parseFloat(/^WebGL (\d)/.exec(ee)[1]),X=ie>=1):ee.indexOf("OpenGL ES")!==-1&&(ie=parseFloat(/^OpenGL ES (\d)/.exec(ee)[1]),X=ie>=2);let te=null,K={};const Y=i.getParameter(i.SCISSOR_BOX),fe=i.getParameter(i.VIEWPORT),P=new un().fromArray(Y),V=new un().fromArray(fe);function I(M,J,re,_e){const Ae=new Uint8Array(4),et=i.createTexture();i.bindTexture(M,et),i.texParameteri(M,i.TEXTURE_MIN_FILTER,i.NEAREST),i.texParameteri(M,i.TEXTURE_MAG_FILTER,i.NEAREST);for(let it=0;it<re;it++)M===i.TEXTURE_3D||M===i.TEXTURE_2D_ARRAY?i.texImage3D(J,0,i.RGBA,1,1,_e,0,i.RGBA,i.UNSIGNED_BYTE,Ae):i.texImage2D(J+it,0,i.RGBA,1,1,0,i.RGBA,i.UNSIGNED_BYTE,Ae);return et}const Z={};Z[i.TEXTURE_2D]=I(i.TEXTURE_2D,i.TEXTURE_2D,1),Z[i.TEXTURE_CUBE_MAP]=I(i.TEXTURE_CUBE_MAP,i.TEXTURE_CUBE_MAP_POSITIVE_X,6),Z[i.TEXTURE_2D_ARRAY]=I(i.TEXTURE_2D_ARRAY,i.TEXTURE_2D_ARRAY,1,1),Z[i.TEXTURE_3D]=I(i.TEXTURE_3D,i.TEXTURE_3D,1,1),s.setClear(0,0,0,1),r.setClear(1),o.setClear(0),le(i.DEPTH_TEST),r.setFunc(Yo),Ce(!1),Ne(Xc),le(i.CULL_FACE),Re(Qi);function le(M){c[M]!==!0&&(i.enable(M),c[M]=!0)}function B(M){c[M]!==!1&&(i.disable(M),c[M]=!1)}function se(M,J){return u[M]!==J?(i.bindFramebuffer(M,J),u[M]=J,M===i.DRAW_FRAMEBUFFER&&(u[i.FRAMEBUFFER]=J),M===i.FRAMEBUFFER&&(u[i.DRAW_FRAMEBUFFER]=J),!0):!1}function q(M,J){let re=f,_e=!1;if(M){re=h.get(J),re===void 0&&(re=[],h.set(J,re));const Ae=M.textures;if(re.length!==Ae.length||re[0]!==i.COLOR_ATTACHMENT0){for(let et=0,it=Ae.length;et<it;et++)re[et]=i.COLOR_ATTACHMENT0+et;re.length=Ae.length,_e=!0}}else re[0]!==i.BACK&&(re[0]=i.BACK,_e=!0);_e&&i.drawBuffers(re)}function F(M){return m!==M?(i.useProgram(M),m=M,!0):!1}const ve={[_s]:i.FUNC_ADD,[kp]:i.FUNC_SUBTRACT,[Bp]:i.FUNC_REVERSE_SUBTRACT};ve[zp]=i.MIN,ve[Hp]=i.MAX;const ge={[Vp]:i.ZERO,[Gp]:i.ONE,[Wp]:i.SRC_COLOR,[Pl]:i.SRC_ALPHA,[jp]:i.SRC_ALPHA_SATURATE,[qp]:i.DST_COLOR,[$p]:i.DST_ALPHA,[Xp]:i.ONE_MINUS_SRC_COLOR,[Ll]:i.ONE_MINUS_SRC_ALPHA,[Kp]:i.ONE_MINUS_DST_COLOR,[Yp]:i.ONE_MINUS_DST_ALPHA,[Zp]:i.CONSTANT_COLOR,[Jp]:i.ONE_MINUS_CONSTANT_COLOR,[Qp]:i.CONSTANT_ALPHA,[em]:i.ONE_MINUS_CONSTANT_ALPHA};function Re(M,J,re,_e,Ae,et,it,bt,zt,lt){if(M===Qi){_===!0&&(B(i.BLEND),_=!1);return}if(_===!1&&(le(i.BLEND),_=!0),M!==Fp){if(M!==v||lt!==z){if((d!==_s||S!==_s)&&(i.blendEquation(i.FUNC_ADD),d=_s,S=_s),lt)switch(M){case ur:i.blendFuncSeparate(i.ONE,i.ONE_MINUS_SRC_ALPHA,i.ONE,i.ONE_MINUS_SRC_ALPHA);break;case $c:i.blendFunc(i.ONE,i.ONE);break;case Yc:i.blendFuncSeparate(i.ZERO,i.ONE_MINUS_SRC_COLOR,i.ZERO,i.ONE);break;case qc:i.blendFuncSeparate(i.ZERO,i.SRC_COLOR,i.ZERO,i.SRC_ALPHA);break;default:console.error("THREE.WebGLState: Invalid blending: ",M);break}else switch(M){case ur:i.blendFuncSeparate(i.SRC_ALPHA,i.ONE_MINUS_SRC_ALPHA,i.ONE,i.ONE_MINUS_SRC_ALPHA);break;case $c:i.blendFunc(i.SRC_ALPHA,i.ONE);break;case Yc:i.blendFuncSeparate(i.ZERO,i.ONE_MINUS_SRC_COLOR,i.ZERO,i.ONE);break;case qc:i.blendFunc(i.ZERO,i.SRC_COLOR);break;default:console.error("THREE.WebGLState: Invalid blending: ",M);break}p=null,y=null,w=null,H=null,T.set(0,0,0),R=0,v=M,z=lt}return}Ae=Ae||J,et=et||re,it=it||_e,(J!==d||Ae!==S)&&(i.blendEquationSeparate(ve[J],ve[Ae]),d=J,S=Ae),(re!==p||_e!==y||et!==w||it!==H)&&(i.blendFuncSeparate(ge[re],ge[_e],ge[et],ge[it]),p=re,y=_e,w=et,H=it),(bt.equals(T)===!1||zt!==R)&&(i.blendColor(bt.r,bt.g,bt.b,zt),T.copy(bt),R=zt),v=M,z=!1}function Me(M,J){M.side===mi?B(i.CULL_FACE):le(i.CULL_FACE);let re=M.side===Tn;J&&(re=!re),Ce(re),M.blending===ur&&M.transparent===!1?Re(Qi):Re(M.blending,M.blendEquation,M.blendSrc,M.blendDst,M.blendEquationAlpha,M.blendSrcAlpha,M.blendDstAlpha,M.blendColor,M.blendAlpha,M.premultipliedAlpha),r.setFunc(M.depthFunc),r.setTest(M.depthTest),r.setMask(M.depthWrite),s.setMask(M.colorWrite);const _e=M.stencilWrite;o.setTest(_e),_e&&(o.setMask(M.stencilWriteMask),o.setFunc(M.stencilFunc,M.stencilRef,M.stencilFuncMask),o.setOp(M.stencilFail,M.stencilZFail,M.stencilZPass)),_t(M.polygonOffset,M.polygonOffsetFactor,M.polygonOffsetUnits),M.alphaToCoverage===!0?le(i.SAMPLE_ALPHA_TO_COVERAGE):B(i.SAMPLE_ALPHA_TO_COVERAGE)}function Ce(M){b!==M&&(M?i.frontFace(i.CW):i.frontFace(i.CCW),b=M)}function Ne(M){M!==Ip?(le(i.CULL_FACE),M!==x&&(M===Xc?i.cullFace(i.BACK):M===Np?i.cullFace(i.FRONT):i.cullFace(i.FRONT_AND_BACK))):B(i.CULL_FACE),x=M}function qe(M){M!==N&&(X&&i.lineWidth(M),N=M)}function _t(M,J,re){M?(le(i.POLYGON_OFFSET_FILL),(G!==J||U!==re)&&(i.polygonOffset(J,re),G=J,U=re)):B(i.POLYGON_OFFSET_FILL)}function k(M){M?le(i.SCISSOR_TEST):B(i.SCISSOR_TEST)}function A(M){M===void 0&&(M=i.TEXTURE0+j-1),te!==M&&(i.activeTexture(M),te=M)}function ce(M,J,re){re===void 0&&(te===null?re=i.TEXTURE0+j-1:re=te);let _e=K[re];_e===void 0&&(_e={type:void 0,texture:void 0},K[re]=_e),(_e.type!==M||_e.texture!==J)&&(te!==re&&(i.activeTexture(re),te=re),i.bindTexture(M,J||Z[M]),_e.type=M,_e.texture=J)}function pe(){const M=K[te];M!==void 0&&M.type!==void 0&&(i.bindTexture(M.type,null),M.type=void 0,M.texture=void 0)}function xe(){try{i.compressedTexImage2D.apply(i,arguments)}catch(M){console.error("THREE.WebGLState:",M)}}function he(){try{i.compressedTexImage3D.apply(i,arguments)}catch(M){console.error("THREE.WebGLState:",M)}}function de(){try{i.texSubImage2D.apply(i,arguments)}catch(M){console.error("THREE.WebGLState:",M)}}function Se(){try{i.texSubImage3D.apply(i,arguments)}catch(M){console.error("THREE.WebGLState:",M)}}function Ee(){try{i.compressedTexSubImage2D.apply(i,arguments)}catch(M){console.error("THREE.WebGLState:",M)}}function Xe(){try{i.compressedTexSubImage3D.apply(i,arguments)}catch(M){console.error("THREE.WebGLState:",M)}}function we(){try{i.texStorage2D.apply(i,arguments)}catch(M){console.error("THREE.WebGLState:",M)}}function ke(){try{i.texStorage3D.apply(i,arguments)}catch(M){console.error("THREE.WebGLState:",M)}}function Qe(){try{i.texImage2D.apply(i,arguments)}catch(M){console.error("THREE.WebGLState:",M)}}function Be(){try{i.texImage3D.apply(i,arguments)}catch(M){console.error("THREE.WebGLState:",M)}}function Pe(M){P.equals(M)===!1&&(i.scissor(M.x,M.y,M.z,M.w),P.copy(M))}function Ve(M){V.equals(M)===!1&&(i.viewport(M.x,M.y,M.z,M.w),V.copy(M))}function $e(M,J){let re=l.get(J);re===void 0&&(re=new WeakMap,l.set(J,re));let _e=re.get(M);_e===void 0&&(_e=i.getUniformBlockIndex(J,M.name),re.set(M,_e))}function ht(M,J){const _e=l.get(J).get(M);a.get(J)!==_e&&(i.uniformBlockBinding(J,_e,M.__bindingPointIndex),a.set(J,_e))}function Ze(){i.disable(i.BLEND),i.disable(i.CULL_FACE),i.disable(i.DEPTH_TEST),i.disable(i.POLYGON_OFFSET_FILL),i.disable(i.SCISSOR_TEST),i.disable(i.STENCIL_TEST),i.disable(i.SAMPLE_ALPHA_TO_COVERAGE),i.blendEquation(i.FUNC_ADD),i.blendFunc(i.ONE,i.ZERO),i.blendFuncSeparate(i.ONE,i.ZERO,i.ONE,i.ZERO),i.blendColor(0,0,0,0),i.colorMask(!0,!0,!0,!0),i.clearColor(0,0,0,0),i.depthMask(!0),i.depthFunc(i.LESS),i.clearDepth(1),i.stencilMask(4294967295),i.stencilFunc(i.ALWAYS,0,4294967295),i.stencilOp(i.KEEP,i.KEEP,i.KEEP),i.clearStencil(0),i.cullFace(i.BACK),i.frontFace(i.CCW),i.polygonOffset(0,0),i.activeTexture(i.TEXTURE0),i.bindFramebuffer(i.FRAMEBUFFER,null),i.bindFramebuffer(i.DRAW_FRAMEBUFFER,null),i.bindFramebuffer(i.READ_FRAMEBUFFER,null),i.useProgram(null),i.lineWidth(1),i.scissor(0,0,i.canvas.width,i.canvas.height),i.viewport(0,0,i.canvas.width,i.canvas.height),c={},te=null,K={},u={},h=new WeakMap,f=[],m=null,_=!1,v=null,d=null,p=null,y=null,S=null,w=null,H=null,T=new St(0,0,0),R=0,z=!1,b=null,x=null,N=null,G=null,U=null,P.set(0,0,i.canvas.width,i.canvas.height),V.set(0,0,i.canvas.width,i.canvas.height),s.reset(),r.reset(),o.reset()}return{buffers:{color:s,depth:r,stencil:o},enable:le,disable:B,bindFramebuffer:se,drawBuffers:q,useProgram:F,setBlending:Re,setMaterial:Me,setFlipSided:Ce,setCullFace:Ne,setLineWidth:qe,setPolygonOffset:_t,setScissorTest:k,activeTexture:A,bindTexture:ce,unbindTexture:pe,compressedTexImage2D:xe,compressedTexImage3D:he,texImage2D:Qe,texImage3D:Be,updateUBOMapping:$e,uniformBlockBinding:ht,texStorage2D:we,texStorage3D:ke,texSubImage2D:de,texSubImage3D:Se,compressedTexSubImage2D:Ee,compressedTexSubImage3D:Xe,scissor:Pe,viewport:Ve,reset:Ze}}function Bx(i,e,t,n,s,r,o){const a=e.has("WEBGL_multisampled_render_to_texture")?e.get("WEBGL_multisampled_render_to_texture"):null,l=typeof navigator>"u"?!1:/OculusBrowser/g.test(navigator.userAgent),c=new ze,u=new WeakMap;let h;const f=new WeakMap;let m=!1;try{m=typeof OffscreenCanvas<"u"&&new OffscreenCanvas(1,1).getContext("2d")!==null}catch{}function _(k,A){return m?new OffscreenCanvas(k,A):Jo("canvas")}function v(k,A,ce){let pe=1;const xe=_t(k);if((xe.width>ce||xe.height>ce)&&(pe=ce/Math.max(xe.width,xe.height)),pe<1)if(typeof HTMLImageElement<"u"&&k instanceof HTMLImageElement||typeof HTMLCanvasElement<"u"&&k instanceof HTMLCanvasElement||typeof ImageBitmap<"u"&&k instanceof ImageBitmap||typeof VideoFrame<"u"&&k instanceof VideoFrame){const he=Math.floor(pe*xe.width),de=Math.floor(pe*xe.height);h===void 0&&(h=_(he,de));const Se=A?_(he,de):h;return Se.width=he,Se.height=de,Se.getContext("2d").drawImage(k,0,0,he,de),console.warn("THREE.WebGLRenderer: Texture has been resized from ("+xe.width+"x"+xe.height+") to ("+he+"x"+de+")."),Se}else return"data"in k&&console.warn("THREE.WebGLRenderer: Image in DataTexture is too big ("+xe.width+"x"+xe.height+")."),k;return k}function d(k){return k.generateMipmaps&&k.minFilter!==qn&&k.minFilter!==oi}function p(k){i.generateMipmap(k)}function y(k,A,ce,pe,xe=!1){if(k!==null){if(i[k]!==void 0)return i[k];console.warn("THREE.WebGLRenderer: Attempt to use non-existing WebGL internal format '"+k+"'")}let he=A;if(A===i.RED&&(ce===i.FLOAT&&(he=i.R32F),ce===i.HALF_FLOAT&&(he=i.R16F),ce===i.UNSIGNED_BYTE&&(he=i.R8)),A===i.RED_INTEGER&&(ce===i.UNSIGNED_BYTE&&(he=i.R8UI),ce===i.UNSIGNED_SHORT&&(he=i.R16UI),ce===i.UNSIGNED_INT&&(he=i.R32UI),ce===i.BYTE&&(he=i.R8I),ce===i.SHORT&&(he=i.R16I),ce===i.INT&&(he=i.R32I)),A===i.RG&&(ce===i.FLOAT&&(he=i.RG32F),ce===i.HALF_FLOAT&&(he=i.RG16F),ce===i.UNSIGNED_BYTE&&(he=i.RG8)),A===i.RG_INTEGER&&(ce===i.UNSIGNED_BYTE&&(he=i.RG8UI),ce===i.UNSIGNED_SHORT&&(he=i.RG16UI),ce===i.UNSIGNED_INT&&(he=i.RG32UI),ce===i.BYTE&&(he=i.RG8I),ce===i.SHORT&&(he=i.RG16I),ce===i.INT&&(he=i.RG32I)),A===i.RGB&&ce===i.UNSIGNED_INT_5_9_9_9_REV&&(he=i.RGB9_E5),A===i.RGBA){const de=xe?qo:vt.getTransfer(pe);ce===i.FLOAT&&(he=i.RGBA32F),ce===i.HALF_FLOAT&&(he=i.RGBA16F),ce===i.UNSIGNED_BYTE&&(he=de===Pt?i.SRGB8_ALPHA8:i.RGBA8),ce===i.UNSIGNED_SHORT_4_4_4_4&&(he=i.RGBA4),ce===i.UNSIGNED_SHORT_5_5_5_1&&(he=i.RGB5_A1)}return(he===i.R16F||he===i.R32F||he===i.RG16F||he===i.RG32F||he===i.RGBA16F||he===i.RGBA32F)&&e.get("EXT_color_buffer_float"),he}function S(k,A){return d(k)===!0||k.isFramebufferTexture&&k.minFilter!==qn&&k.minFilter!==oi?Math.log2(Math.max(A.width,A.height))+1:k.mipmaps!==void 0&&k.mipmaps.length>0?k.mipmaps.length:k.isCompressedTexture&&Array.isArray(k.image)?A.mipmaps.length:1}function w(k){const A=k.target;A.removeEventListener("dispose",w),T(A),A.isVideoTexture&&u.delete(A)}function H(k){const A=k.target;A.removeEventListener("dispose",H),z(A)}function T(k){const A=n.get(k);if(A.__webglInit===void 0)return;const ce=k.source,pe=f.get(ce);if(pe){const xe=pe[A.__cacheKey];xe.usedTimes--,xe.usedTimes===0&&R(k),Object.keys(pe).length===0&&f.delete(ce)}n.remove(k)}function R(k){const A=n.get(k);i.deleteTexture(A.__webglTexture);const ce=k.source,pe=f.get(ce);delete pe[A.__cacheKey],o.memory.textures--}function z(k){const A=n.get(k);if(k.depthTexture&&k.depthTexture.dispose(),k.isWebGLCubeRenderTarget)for(let pe=0;pe<6;pe++){if(Array.isArray(A.__webglFramebuffer[pe]))for(let xe=0;xe<A.__webglFramebuffer[pe].length;xe++)i.deleteFramebuffer(A.__webglFramebuffer[pe][xe]);else i.deleteFramebuffer(A.__webglFramebuffer[pe]);A.__webglDepthbuffer&&i.deleteRenderbuffer(A.__webglDepthbuffer[pe])}else{if(Array.isArray(A.__webglFramebuffer))for(let pe=0;pe<A.__webglFramebuffer.length;pe++)i.deleteFramebuffer(A.__webglFramebuffer[pe]);else i.deleteFramebuffer(A.__webglFramebuffer);if(A.__webglDepthbuffer&&i.deleteRenderbuffer(A.__webglDepthbuffer),A.__webglMultisampledFramebuffer&&i.deleteFramebuffer(A.__webglMultisampledFramebuffer),A.__webglColorRenderbuffer)for(let pe=0;pe<A.__webglColorRenderbuffer.length;pe++)A.__webglColorRenderbuffer[pe]&&i.deleteRenderbuffer(A.__webglColorRenderbuffer[pe]);A.__webglDepthRenderbuffer&&i.deleteRenderbuffer(A.__webglDepthRenderbuffer)}const ce=k.textures;for(let pe=0,xe=ce.length;pe<xe;pe++){const he=n.get(ce[pe]);he.__webglTexture&&(i.deleteTexture(he.__webglTexture),o.memory.textures--),n.remove(ce[pe])}n.remove(k)}let b=0;function x(){b=0}function N(){const k=b;return k>=s.maxTextures&&console.warn("THREE.WebGLTextures: Trying to use "+k+" texture units while this GPU supports only "+s.maxTextures),b+=1,k}function G(k){const A=[];return A.push(k.wrapS),A.push(k.wrapT),A.push(k.wrapR||0),A.push(k.magFilter),A.push(k.minFilter),A.push(k.anisotropy),A.push(k.internalFormat),A.push(k.format),A.push(k.type),A.push(k.generateMipmaps),A.push(k.premultiplyAlpha),A.push(k.flipY),A.push(k.unpackAlignment),A.push(k.colorSpace),A.join()}function U(k,A){const ce=n.get(k);if(k.isVideoTexture&&Ne(k),k.isRenderTargetTexture===!1&&k.version>0&&ce.__version!==k.version){const pe=k.image;if(pe===null)console.warn("THREE.WebGLRenderer: Texture marked for update but no image data found.");else if(pe.complete===!1)console.warn("THREE.WebGLRenderer: Texture marked for update but image is incomplete");else{P(ce,k,A);return}}t.bindTexture(i.TEXTURE_2D,ce.__webglTexture,i.TEXTURE0+A)}function j(k,A){const ce=n.get(k);if(k.version>0&&ce.__version!==k.version){P(ce,k,A);return}t.bindTexture(i.TEXTURE_2D_ARRAY,ce.__webglTexture,i.TEXTURE0+A)}function X(k,A){const ce=n.get(k);if(k.version>0&&ce.__version!==k.version){P(ce,k,A);return}t.bindTexture(i.TEXTURE_3D,ce.__webglTexture,i.TEXTURE0+A)}function ie(k,A){const ce=n.get(k);if(k.version>0&&ce.__version!==k.version){V(ce,k,A);return}t.bindTexture(i.TEXTURE_CUBE_MAP,ce.__webglTexture,i.TEXTURE0+A)}const ee={[Il]:i.REPEAT,[Ss]:i.CLAMP_TO_EDGE,[Nl]:i.MIRRORED_REPEAT},te={[qn]:i.NEAREST,[_m]:i.NEAREST_MIPMAP_NEAREST,[fo]:i.NEAREST_MIPMAP_LINEAR,[oi]:i.LINEAR,[Oa]:i.LINEAR_MIPMAP_NEAREST,[ys]:i.LINEAR_MIPMAP_LINEAR},K={[Dm]:i.NEVER,[km]:i.ALWAYS,[Um]:i.LESS,[zf]:i.LEQUAL,[Im]:i.EQUAL,[Fm]:i.GEQUAL,[Nm]:i.GREATER,[Om]:i.NOTEQUAL};function Y(k,A){if(A.type===Ji&&e.has("OES_texture_float_linear")===!1&&(A.magFilter===oi||A.magFilter===Oa||A.magFilter===fo||A.magFilter===ys||A.minFilter===oi||A.minFilter===Oa||A.minFilter===fo||A.minFilter===ys)&&console.warn("THREE.WebGLRenderer: Unable to use linear filtering with floating point textures. OES_texture_float_linear not supported on this device."),i.texParameteri(k,i.TEXTURE_WRAP_S,ee[A.wrapS]),i.texParameteri(k,i.TEXTURE_WRAP_T,ee[A.wrapT]),(k===i.TEXTURE_3D||k===i.TEXTURE_2D_ARRAY)&&i.texParameteri(k,i.TEXTURE_WRAP_R,ee[A.wrapR]),i.texParameteri(k,i.TEXTURE_MAG_FILTER,te[A.magFilter]),i.texParameteri(k,i.TEXTURE_MIN_FILTER,te[A.minFilter]),A.compareFunction&&(i.texParameteri(k,i.TEXTURE_COMPARE_MODE,i.COMPARE_REF_TO_TEXTURE),i.texParameteri(k,i.TEXTURE_COMPARE_FUNC,K[A.compareFunction])),e.has("EXT_texture_filter_anisotropic")===!0){if(A.magFilter===qn||A.minFilter!==fo&&A.minFilter!==ys||A.type===Ji&&e.has("OES_texture_float_linear")===!1)return;if(A.anisotropy>1||n.get(A).__currentAnisotropy){const ce=e.get("EXT_texture_filter_anisotropic");i.texParameterf(k,ce.TEXTURE_MAX_ANISOTROPY_EXT,Math.min(A.anisotropy,s.getMaxAnisotropy())),n.get(A).__currentAnisotropy=A.anisotropy}}}function fe(k,A){let ce=!1;k.__webglInit===void 0&&(k.__webglInit=!0,A.addEventListener("dispose",w));const pe=A.source;let xe=f.get(pe);xe===void 0&&(xe={},f.set(pe,xe));const he=G(A);if(he!==k.__cacheKey){xe[he]===void 0&&(xe[he]={texture:i.createTexture(),usedTimes:0},o.memory.textures++,ce=!0),xe[he].usedTimes++;const de=xe[k.__cacheKey];de!==void 0&&(xe[k.__cacheKey].usedTimes--,de.usedTimes===0&&R(A)),k.__cacheKey=he,k.__webglTexture=xe[he].texture}return ce}function P(k,A,ce){let pe=i.TEXTURE_2D;(A.isDataArrayTexture||A.isCompressedArrayTexture)&&(pe=i.TEXTURE_2D_ARRAY),A.isData3DTexture&&(pe=i.TEXTURE_3D);const xe=fe(k,A),he=A.source;t.bindTexture(pe,k.__webglTexture,i.TEXTURE0+ce);const de=n.get(he);if(he.version!==de.__version||xe===!0){t.activeTexture(i.TEXTURE0+ce);const Se=vt.getPrimaries(vt.workingColorSpace),Ee=A.colorSpace===Zi?null:vt.getPrimaries(A.colorSpace),Xe=A.colorSpace===Zi||Se===Ee?i.NONE:i.BROWSER_DEFAULT_WEBGL;i.pixelStorei(i.UNPACK_FLIP_Y_WEBGL,A.flipY),i.pixelStorei(i.UNPACK_PREMULTIPLY_ALPHA_WEBGL,A.premultiplyAlpha),i.pixelStorei(i.UNPACK_ALIGNMENT,A.unpackAlignment),i.pixelStorei(i.UNPACK_COLORSPACE_CONVERSION_WEBGL,Xe);let we=v(A.image,!1,s.maxTextureSize);we=qe(A,we);const ke=r.convert(A.format,A.colorSpace),Qe=r.convert(A.type);let Be=y(A.internalFormat,ke,Qe,A.colorSpace,A.isVideoTexture);Y(pe,A);let Pe;const Ve=A.mipmaps,$e=A.isVideoTexture!==!0,ht=de.__version===void 0||xe===!0,Ze=he.dataReady,M=S(A,we);if(A.isDepthTexture)Be=i.DEPTH_COMPONENT16,A.type===Ji?Be=i.DEPTH_COMPONENT32F:A.type===_r?Be=i.DEPTH_COMPONENT24:A.type===to&&(Be=i.DEPTH24_STENCIL8),ht&&($e?t.texStorage2D(i.TEXTURE_2D,1,Be,we.width,we.height):t.texImage2D(i.TEXTURE_2D,0,Be,we.width,we.height,0,ke,Qe,null));else if(A.isDataTexture)if(Ve.length>0){$e&&ht&&t.texStorage2D(i.TEXTURE_2D,M,Be,Ve[0].width,Ve[0].height);for(let J=0,re=Ve.length;J<re;J++)Pe=Ve[J],$e?Ze&&t.texSubImage2D(i.TEXTURE_2D,J,0,0,Pe.width,Pe.height,ke,Qe,Pe.data):t.texImage2D(i.TEXTURE_2D,J,Be,Pe.width,Pe.height,0,ke,Qe,Pe.data);A.generateMipmaps=!1}else $e?(ht&&t.texStorage2D(i.TEXTURE_2D,M,Be,we.width,we.height),Ze&&t.texSubImage2D(i.TEXTURE_2D,0,0,0,we.width,we.height,ke,Qe,we.data)):t.texImage2D(i.TEXTURE_2D,0,Be,we.width,we.height,0,ke,Qe,we.data);else if(A.isCompressedTexture)if(A.isCompressedArrayTexture){$e&&ht&&t.texStorage3D(i.TEXTURE_2D_ARRAY,M,Be,Ve[0].width,Ve[0].height,we.depth);for(let J=0,re=Ve.length;J<re;J++)Pe=Ve[J],A.format!==vi?ke!==null?$e?Ze&&t.compressedTexSubImage3D(i.TEXTURE_2D_ARRAY,J,0,0,0,Pe.width,Pe.height,we.depth,ke,Pe.data,0,0):t.compressedTexImage3D(i.TEXTURE_2D_ARRAY,J,Be,Pe.width,Pe.height,we.depth,0,Pe.data,0,0):console.warn("THREE.WebGLRenderer: Attempt to load unsupported compressed texture format in .uploadTexture()"):$e?Ze&&t.texSubImage3D(i.TEXTURE_2D_ARRAY,J,0,0,0,Pe.width,Pe.height,we.depth,ke,Qe,Pe.data):t.texImage3D(i.TEXTURE_2D_ARRAY,J,Be,Pe.width,Pe.height,we.depth,0,ke,Qe,Pe.data)}else{$e&&ht&&t.texStorage2D(i.TEXTURE_2D,M,Be,Ve[0].width,Ve[0].height);for(let J=0,re=Ve.length;J<re;J++)Pe=Ve[J],A.format!==vi?ke!==null?$e?Ze&&t.compressedTexSubImage2D(i.TEXTURE_2D,J,0,0,Pe.width,Pe.height,ke,Pe.data):t.compressedTexImage2D(i.TEXTURE_2D,J,Be,Pe.width,Pe.height,0,Pe.data):console.warn("THREE.WebGLRenderer: Attempt to load unsupported compressed texture format in .uploadTexture()"):$e?Ze&&t.texSubImage2D(i.TEXTURE_2D,J,0,0,Pe.width,Pe.height,ke,Qe,Pe.data):t.texImage2D(i.TEXTURE_2D,J,Be,Pe.width,Pe.height,0,ke,Qe,Pe.data)}else if(A.isDataArrayTexture)$e?(ht&&t.texStorage3D(i.TEXTURE_2D_ARRAY,M,Be,we.width,we.height,we.depth),Ze&&t.texSubImage3D(i.TEXTURE_2D_ARRAY,0,0,0,0,we.width,we.height,we.depth,ke,Qe,we.data)):t.texImage3D(i.TEXTURE_2D_ARRAY,0,Be,we.width,we.height,we.depth,0,ke,Qe,we.data);else if(A.isData3DTexture)$e?(ht&&t.texStorage3D(i.TEXTURE_3D,M,Be,we.width,we.height,we.depth),Ze&&t.texSubImage3D(i.TEXTURE_3D,0,0,0,0,we.width,we.height,we.depth,ke,Qe,we.data)):t.texImage3D(i.TEXTURE_3D,0,Be,we.width,we.height,we.depth,0,ke,Qe,we.data);else if(A.isFramebufferTexture){if(ht)if($e)t.texStorage2D(i.TEXTURE_2D,M,Be,we.width,we.height);else{let J=we.width,re=we.height;for(let _e=0;_e<M;_e++)t.texImage2D(i.TEXTURE_2D,_e,Be,J,re,0,ke,Qe,null),J>>=1,re>>=1}}else if(Ve.length>0){if($e&&ht){const J=_t(Ve[0]);t.texStorage2D(i.TEXTURE_2D,M,Be,J.width,J.height)}for(let J=0,re=Ve.length;J<re;J++)Pe=Ve[J],$e?Ze&&t.texSubImage2D(i.TEXTURE_2D,J,0,0,ke,Qe,Pe):t.texImage2D(i.TEXTURE_2D,J,Be,ke,Qe,Pe);A.generateMipmaps=!1}else if($e){if(ht){const J=_t(we);t.texStorage2D(i.TEXTURE_2D,M,Be,J.width,J.height)}Ze&&t.texSubImage2D(i.TEXTURE_2D,0,0,0,ke,Qe,we)}else t.texImage2D(i.TEXTURE_2D,0,Be,ke,Qe,we);d(A)&&p(pe),de.__version=he.version,A.onUpdate&&A.onUpdate(A)}k.__version=A.version}function V(k,A,ce){if(A.image.length!==6)return;const pe=fe(k,A),xe=A.source;t.bindTexture(i.TEXTURE_CUBE_MAP,k.__webglTexture,i.TEXTURE0+ce);const he=n.get(xe);if(xe.version!==he.__version||pe===!0){t.activeTexture(i.TEXTURE0+ce);const de=vt.getPrimaries(vt.workingColorSpace),Se=A.colorSpace===Zi?null:vt.getPrimaries(A.colorSpace),Ee=A.colorSpace===Zi||de===Se?i.NONE:i.BROWSER_DEFAULT_WEBGL;i.pixelStorei(i.UNPACK_FLIP_Y_WEBGL,A.flipY),i.pixelStorei(i.UNPACK_PREMULTIPLY_ALPHA_WEBGL,A.premultiplyAlpha),i.pixelStorei(i.UNPACK_ALIGNMENT,A.unpackAlignment),i.pixelStorei(i.UNPACK_COLORSPACE_CONVERSION_WEBGL,Ee);const Xe=A.isCompressedTexture||A.image[0].isCompressedTexture,we=A.image[0]&&A.image[0].isDataTexture,ke=[];for(let re=0;re<6;re++)!Xe&&!we?ke[re]=v(A.image[re],!0,s.maxCubemapSize):ke[re]=we?A.image[re].image:A.image[re],ke[re]=qe(A,ke[re]);const Qe=ke[0],Be=r.convert(A.format,A.colorSpace),Pe=r.convert(A.type),Ve=y(A.internalFormat,Be,Pe,A.colorSpace),$e=A.isVideoTexture!==!0,ht=he.__version===void 0||pe===!0,Ze=xe.dataReady;let M=S(A,Qe);Y(i.TEXTURE_CUBE_MAP,A);let J;if(Xe){$e&&ht&&t.texStorage2D(i.TEXTURE_CUBE_MAP,M,Ve,Qe.width,Qe.height);for(let re=0;re<6;re++){J=ke[re].mipmaps;for(let _e=0;_e<J.length;_e++){const Ae=J[_e];A.format!==vi?Be!==null?$e?Ze&&t.compressedTexSubImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+re,_e,0,0,Ae.width,Ae.height,Be,Ae.data):t.compressedTexImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+re,_e,Ve,Ae.width,Ae.height,0,Ae.data):console.warn("THREE.WebGLRenderer: Attempt to load unsupported compressed texture format in .setTextureCube()"):$e?Ze&&t.texSubImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+re,_e,0,0,Ae.width,Ae.height,Be,Pe,Ae.data):t.texImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+re,_e,Ve,Ae.width,Ae.height,0,Be,Pe,Ae.data)}}}else{if(J=A.mipmaps,$e&&ht){J.length>0&&M++;const re=_t(ke[0]);t.texStorage2D(i.TEXTURE_CUBE_MAP,M,Ve,re.width,re.height)}for(let re=0;re<6;re++)if(we){$e?Ze&&t.texSubImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+re,0,0,0,ke[re].width,ke[re].height,Be,Pe,ke[re].data):t.texImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+re,0,Ve,ke[re].width,ke[re].height,0,Be,Pe,ke[re].data);for(let _e=0;_e<J.length;_e++){const et=J[_e].image[re].image;$e?Ze&&t.texSubImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+re,_e+1,0,0,et.width,et.height,Be,Pe,et.data):t.texImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+re,_e+1,Ve,et.width,et.height,0,Be,Pe,et.data)}}else{$e?Ze&&t.texSubImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+re,0,0,0,Be,Pe,ke[re]):t.texImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+re,0,Ve,Be,Pe,ke[re]);for(let _e=0;_e<J.length;_e++){const Ae=J[_e];$e?Ze&&t.texSubImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+re,_e+1,0,0,Be,Pe,Ae.image[re]):t.texImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+re,_e+1,Ve,Be,Pe,Ae.image[re])}}}d(A)&&p(i.TEXTURE_CUBE_MAP),he.__version=xe.version,A.onUpdate&&A.onUpdate(A)}k.__version=A.version}function I(k,A,ce,pe,xe,he){const de=r.convert(ce.format,ce.colorSpace),Se=r.convert(ce.type),Ee=y(ce.internalFormat,de,Se,ce.colorSpace);if(!n.get(A).__hasExternalTextures){const we=Math.max(1,A.width>>he),ke=Math.max(1,A.height>>he);xe===i.TEXTURE_3D||xe===i.TEXTURE_2D_ARRAY?t.texImage3D(xe,he,Ee,we,ke,A.depth,0,de,Se,null):t.texImage2D(xe,he,Ee,we,ke,0,de,Se,null)}t.bindFramebuffer(i.FRAMEBUFFER,k),Ce(A)?a.framebufferTexture2DMultisampleEXT(i.FRAMEBUFFER,pe,xe,n.get(ce).__webglTexture,0,Me(A)):(xe===i.TEXTURE_2D||xe>=i.TEXTURE_CUBE_MAP_POSITIVE_X&&xe<=i.TEXTURE_CUBE_MAP_NEGATIVE_Z)&&i.framebufferTexture2D(i.FRAMEBUFFER,pe,xe,n.get(ce).__webglTexture,he),t.bindFramebuffer(i.FRAMEBUFFER,null)}function Z(k,A,ce){if(i.bindRenderbuffer(i.RENDERBUFFER,k),A.depthBuffer&&!A.stencilBuffer){let pe=i.DEPTH_COMPONENT24;if(ce||Ce(A)){const xe=A.depthTexture;xe&&xe.isDepthTexture&&(xe.type===Ji?pe=i.DEPTH_COMPONENT32F:xe.type===_r&&(pe=i.DEPTH_COMPONENT24));const he=Me(A);Ce(A)?a.renderbufferStorageMultisampleEXT(i.RENDERBUFFER,he,pe,A.width,A.height):i.renderbufferStorageMultisample(i.RENDERBUFFER,he,pe,A.width,A.height)}else i.renderbufferStorage(i.RENDERBUFFER,pe,A.width,A.height);i.framebufferRenderbuffer(i.FRAMEBUFFER,i.DEPTH_ATTACHMENT,i.RENDERBUFFER,k)}else if(A.depthBuffer&&A.stencilBuffer){const pe=Me(A);ce&&Ce(A)===!1?i.renderbufferStorageMultisample(i.RENDERBUFFER,pe,i.DEPTH24_STENCIL8,A.width,A.height):Ce(A)?a.renderbufferStorageMultisampleEXT(i.RENDERBUFFER,pe,i.DEPTH24_STENCIL8,A.width,A.height):i.renderbufferStorage(i.RENDERBUFFER,i.DEPTH_STENCIL,A.width,A.height),i.framebufferRenderbuffer(i.FRAMEBUFFER,i.DEPTH_STENCIL_ATTACHMENT,i.RENDERBUFFER,k)}else{const pe=A.textures;for(let xe=0;xe<pe.length;xe++){const he=pe[xe],de=r.convert(he.format,he.colorSpace),Se=r.convert(he.type),Ee=y(he.internalFormat,de,Se,he.colorSpace),Xe=Me(A);ce&&Ce(A)===!1?i.renderbufferStorageMultisample(i.RENDERBUFFER,Xe,Ee,A.width,A.height):Ce(A)?a.renderbufferStorageMultisampleEXT(i.RENDERBUFFER,Xe,Ee,A.width,A.height):i.renderbufferStorage(i.RENDERBUFFER,Ee,A.width,A.height)}}i.bindRenderbuffer(i.RENDERBUFFER,null)}function le(k,A){if(A&&A.isWebGLCubeRenderTarget)throw new Error("Depth Texture with cube render targets is not supported");if(t.bindFramebuffer(i.FRAMEBUFFER,k),!(A.depthTexture&&A.depthTexture.isDepthTexture))throw new Error("renderTarget.depthTexture must be an instance of THREE.DepthTexture");(!n.get(A.depthTexture).__webglTexture||A.depthTexture.image.width!==A.width||A.depthTexture.image.height!==A.height)&&(A.depthTexture.image.width=A.width,A.depthTexture.image.height=A.height,A.depthTexture.needsUpdate=!0),U(A.depthTexture,0);const pe=n.get(A.depthTexture).__webglTexture,xe=Me(A);if(A.depthTexture.format===hr)Ce(A)?a.framebufferTexture2DMultisampleEXT(i.FRAMEBUFFER,i.DEPTH_ATTACHMENT,i.TEXTURE_2D,pe,0,xe):i.framebufferTexture2D(i.FRAMEBUFFER,i.DEPTH_ATTACHMENT,i.TEXTURE_2D,pe,0);else if(A.depthTexture.format===Zr)Ce(A)?a.framebufferTexture2DMultisampleEXT(i.FRAMEBUFFER,i.DEPTH_STENCIL_ATTACHMENT,i.TEXTURE_2D,pe,0,xe):i.framebufferTexture2D(i.FRAMEBUFFER,i.DEPTH_STENCIL_ATTACHMENT,i.TEXTURE_2D,pe,0);else throw new Error("Unknown depthTexture format")}function B(k){const A=n.get(k),ce=k.isWebGLCubeRenderTarget===!0;if(k.depthTexture&&!A.__autoAllocateDepthBuffer){if(ce)throw new Error("target.depthTexture not supported in Cube render targets");le(A.__webglFramebuffer,k)}else if(ce){A.__webglDepthbuffer=[];for(let pe=0;pe<6;pe++)t.bindFramebuffer(i.FRAMEBUFFER,A.__webglFramebuffer[pe]),A.__webglDepthbuffer[pe]=i.createRenderbuffer(),Z(A.__webglDepthbuffer[pe],k,!1)}else t.bindFramebuffer(i.FRAMEBUFFER,A.__webglFramebuffer),A.__webglDepthbuffer=i.createRenderbuffer(),Z(A.__webglDepthbuffer,k,!1);t.bindFramebuffer(i.FRAMEBUFFER,null)}function se(k,A,ce){const pe=n.get(k);A!==void 0&&I(pe.__webglFramebuffer,k,k.texture,i.COLOR_ATTACHMENT0,i.TEXTURE_2D,0),ce!==void 0&&B(k)}function q(k){const A=k.texture,ce=n.get(k),pe=n.get(A);k.addEventListener("dispose",H);const xe=k.textures,he=k.isWebGLCubeRenderTarget===!0,de=xe.length>1;if(de||(pe.__webglTexture===void 0&&(pe.__webglTexture=i.createTexture()),pe.__version=A.version,o.memory.textures++),he){ce.__webglFramebuffer=[];for(let Se=0;Se<6;Se++)if(A.mipmaps&&A.mipmaps.length>0){ce.__webglFramebuffer[Se]=[];for(let Ee=0;Ee<A.mipmaps.length;Ee++)ce.__webglFramebuffer[Se][Ee]=i.createFramebuffer()}else ce.__webglFramebuffer[Se]=i.createFramebuffer()}else{if(A.mipmaps&&A.mipmaps.length>0){ce.__webglFramebuffer=[];for(let Se=0;Se<A.mipmaps.length;Se++)ce.__webglFramebuffer[Se]=i.createFramebuffer()}else ce.__webglFramebuffer=i.createFramebuffer();if(de)for(let Se=0,Ee=xe.length;Se<Ee;Se++){const Xe=n.get(xe[Se]);Xe.__webglTexture===void 0&&(Xe.__webglTexture=i.createTexture(),o.memory.textures++)}if(k.samples>0&&Ce(k)===!1){ce.__webglMultisampledFramebuffer=i.createFramebuffer(),ce.__webglColorRenderbuffer=[],t.bindFramebuffer(i.FRAMEBUFFER,ce.__webglMultisampledFramebuffer);for(let Se=0;Se<xe.length;Se++){const Ee=xe[Se];ce.__webglColorRenderbuffer[Se]=i.createRenderbuffer(),i.bindRenderbuffer(i.RENDERBUFFER,ce.__webglColorRenderbuffer[Se]);const Xe=r.convert(Ee.format,Ee.colorSpace),we=r.convert(Ee.type),ke=y(Ee.internalFormat,Xe,we,Ee.colorSpace,k.isXRRenderTarget===!0),Qe=Me(k);i.renderbufferStorageMultisample(i.RENDERBUFFER,Qe,ke,k.width,k.height),i.framebufferRenderbuffer(i.FRAMEBUFFER,i.COLOR_ATTACHMENT0+Se,i.RENDERBUFFER,ce.__webglColorRenderbuffer[Se])}i.bindRenderbuffer(i.RENDERBUFFER,null),k.depthBuffer&&(ce.__webglDepthRenderbuffer=i.createRenderbuffer(),Z(ce.__webglDepthRenderbuffer,k,!0)),t.bindFramebuffer(i.FRAMEBUFFER,null)}}if(he){t.bindTexture(i.TEXTURE_CUBE_MAP,pe.__webglTexture),Y(i.TEXTURE_CUBE_MAP,A);for(let Se=0;Se<6;Se++)if(A.mipmaps&&A.mipmaps.length>0)for(let Ee=0;Ee<A.mipmaps.length;Ee++)I(ce.__webglFramebuffer[Se][Ee],k,A,i.COLOR_ATTACHMENT0,i.TEXTURE_CUBE_MAP_POSITIVE_X+Se,Ee);else I(ce.__webglFramebuffer[Se],k,A,i.COLOR_ATTACHMENT0,i.TEXTURE_CUBE_MAP_POSITIVE_X+Se,0);d(A)&&p(i.TEXTURE_CUBE_MAP),t.unbindTexture()}else if(de){for(let Se=0,Ee=xe.length;Se<Ee;Se++){const Xe=xe[Se],we=n.get(Xe);t.bindTexture(i.TEXTURE_2D,we.__webglTexture),Y(i.TEXTURE_2D,Xe),I(ce.__webglFramebuffer,k,Xe,i.COLOR_ATTACHMENT0+Se,i.TEXTURE_2D,0),d(Xe)&&p(i.TEXTURE_2D)}t.unbindTexture()}else{let Se=i.TEXTURE_2D;if((k.isWebGL3DRenderTarget||k.isWebGLArrayRenderTarget)&&(Se=k.isWebGL3DRenderTarget?i.TEXTURE_3D:i.TEXTURE_2D_ARRAY),t.bindTexture(Se,pe.__webglTexture),Y(Se,A),A.mipmaps&&A.mipmaps.length>0)for(let Ee=0;Ee<A.mipmaps.length;Ee++)I(ce.__webglFramebuffer[Ee],k,A,i.COLOR_ATTACHMENT0,Se,Ee);else I(ce.__webglFramebuffer,k,A,i.COLOR_ATTACHMENT0,Se,0);d(A)&&p(Se),t.unbindTexture()}k.depthBuffer&&B(k)}function F(k){const A=k.textures;for(let ce=0,pe=A.length;ce<pe;ce++){const xe=A[ce];if(d(xe)){const he=k.isWebGLCubeRenderTarget?i.TEXTURE_CUBE_MAP:i.TEXTURE_2D,de=n.get(xe).__webglTexture;t.bindTexture(he,de),p(he),t.unbindTexture()}}}const ve=[],ge=[];function Re(k){if(k.samples>0){if(Ce(k)===!1){const A=k.textures,ce=k.width,pe=k.height;let xe=i.COLOR_BUFFER_BIT;const he=k.stencilBuffer?i.DEPTH_STENCIL_ATTACHMENT:i.DEPTH_ATTACHMENT,de=n.get(k),Se=A.length>1;if(Se)for(let Ee=0;Ee<A.length;Ee++)t.bindFramebuffer(i.FRAMEBUFFER,de.__webglMultisampledFramebuffer),i.framebufferRenderbuffer(i.FRAMEBUFFER,i.COLOR_ATTACHMENT0+Ee,i.RENDERBUFFER,null),t.bindFramebuffer(i.FRAMEBUFFER,de.__webglFramebuffer),i.framebufferTexture2D(i.DRAW_FRAMEBUFFER,i.COLOR_ATTACHMENT0+Ee,i.TEXTURE_2D,null,0);t.bindFramebuffer(i.READ_FRAMEBUFFER,de.__webglMultisampledFramebuffer),t.bindFramebuffer(i.DRAW_FRAMEBUFFER,de.__webglFramebuffer);for(let Ee=0;Ee<A.length;Ee++){if(k.resolveDepthBuffer&&(k.depthBuffer&&(xe|=i.DEPTH_BUFFER_BIT),k.stencilBuffer&&k.resolveStencilBuffer&&(xe|=i.STENCIL_BUFFER_BIT)),Se){i.framebufferRenderbuffer(i.READ_FRAMEBUFFER,i.COLOR_ATTACHMENT0,i.RENDERBUFFER,de.__webglColorRenderbuffer[Ee]);const Xe=n.get(A[Ee]).__webglTexture;i.framebufferTexture2D(i.DRAW_FRAMEBUFFER,i.COLOR_ATTACHMENT0,i.TEXTURE_2D,Xe,0)}i.blitFramebuffer(0,0,ce,pe,0,0,ce,pe,xe,i.NEAREST),l===!0&&(ve.length=0,ge.length=0,ve.push(i.COLOR_ATTACHMENT0+Ee),k.depthBuffer&&k.resolveDepthBuffer===!1&&(ve.push(he),ge.push(he),i.invalidateFramebuffer(i.DRAW_FRAMEBUFFER,ge)),i.invalidateFramebuffer(i.READ_FRAMEBUFFER,ve))}if(t.bindFramebuffer(i.READ_FRAMEBUFFER,null),t.bindFramebuffer(i.DRAW_FRAMEBUFFER,null),Se)for(let Ee=0;Ee<A.length;Ee++){t.bindFramebuffer(i.FRAMEBUFFER,de.__webglMultisampledFramebuffer),i.framebufferRenderbuffer(i.FRAMEBUFFER,i.COLOR_ATTACHMENT0+Ee,i.RENDERBUFFER,de.__webglColorRenderbuffer[Ee]);const Xe=n.get(A[Ee]).__webglTexture;t.bindFramebuffer(i.FRAMEBUFFER,de.__webglFramebuffer),i.framebufferTexture2D(i.DRAW_FRAMEBUFFER,i.COLOR_ATTACHMENT0+Ee,i.TEXTURE_2D,Xe,0)}t.bindFramebuffer(i.DRAW_FRAMEBUFFER,de.__webglMultisampledFramebuffer)}else if(k.depthBuffer&&k.resolveDepthBuffer===!1&&l){const A=k.stencilBuffer?i.DEPTH_STENCIL_ATTACHMENT:i.DEPTH_ATTACHMENT;i.invalidateFramebuffer(i.DRAW_FRAMEBUFFER,[A])}}}function Me(k){return Math.min(s.maxSamples,k.samples)}function Ce(k){const A=n.get(k);return k.samples>0&&e.has("WEBGL_multisampled_render_to_texture")===!0&&A.__useRenderToTexture!==!1}function Ne(k){const A=o.render.frame;u.get(k)!==A&&(u.set(k,A),k.update())}function qe(k,A){const ce=k.colorSpace,pe=k.format,xe=k.type;return k.isCompressedTexture===!0||k.isVideoTexture===!0||ce!==Fi&&ce!==Zi&&(vt.getTransfer(ce)===Pt?(pe!==vi||xe!==ns)&&console.warn("THREE.WebGLTextures: sRGB encoded textures have to use RGBAFormat and UnsignedByteType."):console.error("THREE.WebGLTextures: Unsupported texture color space:",ce)),A}function _t(k){return typeof HTMLImageElement<"u"&&k instanceof HTMLImageElement?(c.width=k.naturalWidth||k.width,c.height=k.naturalHeight||k.height):typeof VideoFrame<"u"&&k instanceof VideoFrame?(c.width=k.displayWidth,c.height=k.displayHeight):(c.width=k.width,c.height=k.height),c}this.allocateTextureUnit=N,this.resetTextureUnits=x,this.setTexture2D=U,this.setTexture2DArray=j,this.setTexture3D=X,this.setTextureCube=ie,this.rebindTextures=se,this.setupRenderTarget=q,this.updateRenderTargetMipmap=F,this.updateMultisampleRenderTarget=Re,this.setupDepthRenderbuffer=B,this.setupFrameBufferTexture=I,this.useMultisampledRTT=Ce}function zx(i,e){function t(n,s=Zi){let r;const o=vt.getTransfer(s);if(n===ns)return i.UNSIGNED_BYTE;if(n===Nf)return i.UNSIGNED_SHORT_4_4_4_4;if(n===Of)return i.UNSIGNED_SHORT_5_5_5_1;if(n===Mm)return i.UNSIGNED_INT_5_9_9_9_REV;if(n===vm)return i.BYTE;if(n===xm)return i.SHORT;if(n===Uf)return i.UNSIGNED_SHORT;if(n===If)return i.INT;if(n===_r)return i.UNSIGNED_INT;if(n===Ji)return i.FLOAT;if(n===oa)return i.HALF_FLOAT;if(n===Sm)return i.ALPHA;if(n===ym)return i.RGB;if(n===vi)return i.RGBA;if(n===Em)return i.LUMINANCE;if(n===bm)return i.LUMINANCE_ALPHA;if(n===hr)return i.DEPTH_COMPONENT;if(n===Zr)return i.DEPTH_STENCIL;if(n===wm)return i.RED;if(n===Ff)return i.RED_INTEGER;if(n===Tm)return i.RG;if(n===kf)return i.RG_INTEGER;if(n===Bf)return i.RGBA_INTEGER;if(n===Fa||n===ka||n===Ba||n===za)if(o===Pt)if(r=e.get("WEBGL_compressed_texture_s3tc_srgb"),r!==null){if(n===Fa)return r.COMPRESSED_SRGB_S3TC_DXT1_EXT;if(n===ka)return r.COMPRESSED_SRGB_ALPHA_S3TC_DXT1_EXT;if(n===Ba)return r.COMPRESSED_SRGB_ALPHA_S3TC_DXT3_EXT;if(n===za)return r.COMPRESSED_SRGB_ALPHA_S3TC_DXT5_EXT}else return null;else if(r=e.get("WEBGL_compressed_texture_s3tc"),r!==null){if(n===Fa)return r.COMPRESSED_RGB_S3TC_DXT1_EXT;if(n===ka)return r.COMPRESSED_RGBA_S3TC_DXT1_EXT;if(n===Ba)return r.COMPRESSED_RGBA_S3TC_DXT3_EXT;if(n===za)return r.COMPRESSED_RGBA_S3TC_DXT5_EXT}else return null;if(n===Kc||n===jc||n===Zc||n===Jc)if(r=e.get("WEBGL_compressed_texture_pvrtc"),r!==null){if(n===Kc)return r.COMPRESSED_RGB_PVRTC_4BPPV1_IMG;if(n===jc)return r.COMPRESSED_RGB_PVRTC_2BPPV1_IMG;if(n===Zc)return r.COMPRESSED_RGBA_PVRTC_4BPPV1_IMG;if(n===Jc)return r.COMPRESSED_RGBA_PVRTC_2BPPV1_IMG}else return null;if(n===Qc||n===eu||n===tu)if(r=e.get("WEBGL_compressed_texture_etc"),r!==null){if(n===Qc||n===eu)return o===Pt?r.COMPRESSED_SRGB8_ETC2:r.COMPRESSED_RGB8_ETC2;if(n===tu)return o===Pt?r.COMPRESSED_SRGB8_ALPHA8_ETC2_EAC:r.COMPRESSED_RGBA8_ETC2_EAC}else return null;if(n===nu||n===iu||n===su||n===ru||n===ou||n===au||n===lu||n===cu||n===uu||n===hu||n===fu||n===du||n===pu||n===mu)if(r=e.get("WEBGL_compressed_texture_astc"),r!==null){if(n===nu)return o===Pt?r.COMPRESSED_SRGB8_ALPHA8_ASTC_4x4_KHR:r.COMPRESSED_RGBA_ASTC_4x4_KHR;if(n===iu)return o===Pt?r.COMPRESSED_SRGB8_ALPHA8_ASTC_5x4_KHR:r.COMPRESSED_RGBA_ASTC_5x4_KHR;if(n===su)return o===Pt?r.COMPRESSED_SRGB8_ALPHA8_ASTC_5x5_KHR:r.COMPRESSED_RGBA_ASTC_5x5_KHR;if(n===ru)return o===Pt?r.COMPRESSED_SRGB8_ALPHA8_ASTC_6x5_KHR:r.COMPRESSED_RGBA_ASTC_6x5_KHR;if(n===ou)return o===Pt?r.COMPRESSED_SRGB8_ALPHA8_ASTC_6x6_KHR:r.COMPRESSED_RGBA_ASTC_6x6_KHR;if(n===au)return o===Pt?r.COMPRESSED_SRGB8_ALPHA8_ASTC_8x5_KHR:r.COMPRESSED_RGBA_ASTC_8x5_KHR;if(n===lu)return o===Pt?r.COMPRESSED_SRGB8_ALPHA8_ASTC_8x6_KHR:r.COMPRESSED_RGBA_ASTC_8x6_KHR;if(n===cu)return o===Pt?r.COMPRESSED_SRGB8_ALPHA8_ASTC_8x8_KHR:r.COMPRESSED_RGBA_ASTC_8x8_KHR;if(n===uu)return o===Pt?r.COMPRESSED_SRGB8_ALPHA8_ASTC_10x5_KHR:r.COMPRESSED_RGBA_ASTC_10x5_KHR;if(n===hu)return o===Pt?r.COMPRESSED_SRGB8_ALPHA8_ASTC_10x6_KHR:r.COMPRESSED_RGBA_ASTC_10x6_KHR;if(n===fu)return o===Pt?r.COMPRESSED_SRGB8_ALPHA8_ASTC_10x8_KHR:r.COMPRESSED_RGBA_ASTC_10x8_KHR;if(n===du)return o===Pt?r.COMPRESSED_SRGB8_ALPHA8_ASTC_10x10_KHR:r.COMPRESSED_RGBA_ASTC_10x10_KHR;if(n===pu)return o===Pt?r.COMPRESSED_SRGB8_ALPHA8_ASTC_12x10_KHR:r.COMPRESSED_RGBA_ASTC_12x10_KHR;if(n===mu)return o===Pt?r.COMPRESSED_SRGB8_ALPHA8_ASTC_12x12_KHR:r.COMPRESSED_RGBA_ASTC_12x12_KHR}else return null;if(n===Ha||n===gu||n===_u)if(r=e.get("EXT_texture_compression_bptc"),r!==null){if(n===Ha)return o===Pt?r.COMPRESSED_SRGB_ALPHA_BPTC_UNORM_EXT:r.COMPRESSED_RGBA_BPTC_UNORM_EXT;if(n===gu)return r.COMPRESSED_RGB_BPTC_SIGNED_FLOAT_EXT;if(n===_u)return r.COMPRESSED_RGB_BPTC_UNSIGNED_FLOAT_EXT}else return null;if(n===Am||n===vu||n===xu||n===Mu)if(r=e.get("EXT_texture_compression_rgtc"),r!==null){if(n===Ha)return r.COMPRESSED_RED_RGTC1_EXT;if(n===vu)return r.COMPRESSED_SIGNED_RED_RGTC1_EXT;if(n===xu)return r.COMPRESSED_RED_GREEN_RGTC2_EXT;if(n===Mu)return r.COMPRESSED_SIGNED_RED_GREEN_RGTC2_EXT}else return null;return n===to?i.UNSIGNED_INT_24_8:i[n]!==void 0?i[n]:null}return{convert:t}}class Hx extends Yn{constructor(e=[]){super(),this.isArrayCamera=!0,this.cameras=e}}class Gr extends On{constructor(){super(),this.isGroup=!0,this.type="Group"}}const Vx={type:"move"};class dl{constructor(){this._targetRay=null,this._grip=null,this._hand=null}getHandSpace(){return this._hand===null&&(this._hand=new Gr,this._hand.matrixAutoUpdate=!1,this._hand.visible=!1,this._hand.joints={},this._hand.inputState={pinching:!1}),this._hand}getTargetRaySpace(){return this._targetRay===null&&(this._targetRay=new Gr,this._targetRay.matrixAutoUpdate=!1,this._targetRay.visible=!1,this._targetRay.hasLinearVelocity=!1,this._targetRay.linearVelocity=new $,this._targetRay.hasAngularVelocity=!1,this._targetRay.angularVelocity=new $),this._targetRay}getGripSpace(){return this._grip===null&&(this._grip=new Gr,this._grip.matrixAutoUpdate=!1,this._grip.visible=!1,this._grip.hasLinearVelocity=!1,this._grip.linearVelocity=new $,this._grip.hasAngularVelocity=!1,this._grip.angularVelocity=new $),this._grip}dispatchEvent(e){return this._targetRay!==null&&this._targetRay.dispatchEvent(e),this._grip!==null&&this._grip.dispatchEvent(e),this._hand!==null&&this._hand.dispatchEvent(e),this}connect(e){if(e&&e.hand){const t=this._hand;if(t)for(const n of e.hand.values())this._getHandJoint(t,n)}return this.dispatchEvent({type:"connected",data:e}),this}disconnect(e){return this.dispatchEvent({type:"disconnected",data:e}),this._targetRay!==null&&(this._targetRay.visible=!1),this._grip!==null&&(this._grip.visible=!1),this._hand!==null&&(this._hand.visible=!1),this}update(e,t,n){let s=null,r=null,o=null;const a=this._targetRay,l=this._grip,c=this._hand;if(e&&t.session.visibilityState!=="visible-blurred"){if(c&&e.hand){o=!0;for(const v of e.hand.values()){const d=t.getJointPose(v,n),p=this._getHandJoint(c,v);d!==null&&(p.matrix.fromArray(d.transform.matrix),p.matrix.decompose(p.position,p.rotation,p.scale),p.matrixWorldNeedsUpdate=!0,p.jointRadius=d.radius),p.visible=d!==null}const u=c.joints["index-finger-tip"],h=c.joints["thumb-tip"],f=u.position.distanceTo(h.position),m=.02,_=.005;c.inputState.pinching&&f>m+_?(c.inputState.pinching=!1,this.dispatchEvent({type:"pinchend",handedness:e.handedness,target:this})):!c.inputState.pinching&&f<=m-_&&(c.inputState.pinching=!0,this.dispatchEvent({type:"pinchstart",handedness:e.handedness,target:this}))}else l!==null&&e.gripSpace&&(r=t.getPose(e.gripSpace,n),r!==null&&(l.matrix.fromArray(r.transform.matrix),l.matrix.decompose(l.position,l.rotation,l.scale),l.matrixWorldNeedsUpdate=!0,r.linearVelocity?(l.hasLinearVelocity=!0,l.linearVelocity.copy(r.linearVelocity)):l.hasLinearVelocity=!1,r.angularVelocity?(l.hasAngularVelocity=!0,l.angularVelocity.copy(r.angularVelocity)):l.hasAngularVelocity=!1));a!==null&&(s=t.getPose(e.targetRaySpace,n),s===null&&r!==null&&(s=r),s!==null&&(a.matrix.fromArray(s.transform.matrix),a.matrix.decompose(a.position,a.rotation,a.scale),a.matrixWorldNeedsUpdate=!0,s.linearVelocity?(a.hasLinearVelocity=!0,a.linearVelocity.copy(s.linearVelocity)):a.hasLinearVelocity=!1,s.angularVelocity?(a.hasAngularVelocity=!0,a.angularVelocity.copy(s.angularVelocity)):a.hasAngularVelocity=!1,this.dispatchEvent(Vx)))}return a!==null&&(a.visible=s!==null),l!==null&&(l.visible=r!==null),c!==null&&(c.visible=o!==null),this}_getHandJoint(e,t){if(e.joints[t.jointName]===void 0){const n=new Gr;n.matrixAutoUpdate=!1,n.visible=!1,e.joints[t.jointName]=n,e.add(n)}return e.joints[t.jointName]}}const Gx=`
void main() {

	gl_Position = vec4( position, 1.0 );

}`,Wx=`
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

}`;class Xx{constructor(){this.texture=null,this.mesh=null,this.depthNear=0,this.depthFar=0}init(e,t,n){if(this.texture===null){const s=new An,r=e.properties.get(s);r.__webglTexture=t.texture,(t.depthNear!=n.depthNear||t.depthFar!=n.depthFar)&&(this.depthNear=t.depthNear,this.depthFar=t.depthFar),this.texture=s}}render(e,t){if(this.texture!==null){if(this.mesh===null){const n=t.cameras[0].viewport,s=new Oi({vertexShader:Gx,fragmentShader:Wx,uniforms:{depthColor:{value:this.texture},depthWidth:{value:n.z},depthHeight:{value:n.w}}});this.mesh=new Nn(new ca(20,20),s)}e.render(this.mesh,t)}}reset(){this.texture=null,this.mesh=null}}class $x extends Rs{constructor(e,t){super();const n=this;let s=null,r=1,o=null,a="local-floor",l=1,c=null,u=null,h=null,f=null,m=null,_=null;const v=new Xx,d=t.getContextAttributes();let p=null,y=null;const S=[],w=[],H=new ze;let T=null;const R=new Yn;R.layers.enable(1),R.viewport=new un;const z=new Yn;z.layers.enable(2),z.viewport=new un;const b=[R,z],x=new Hx;x.layers.enable(1),x.layers.enable(2);let N=null,G=null;this.cameraAutoUpdate=!0,this.enabled=!1,this.isPresenting=!1,this.getController=function(I){let Z=S[I];return Z===void 0&&(Z=new dl,S[I]=Z),Z.getTargetRaySpace()},this.getControllerGrip=function(I){let Z=S[I];return Z===void 0&&(Z=new dl,S[I]=Z),Z.getGripSpace()},this.getHand=function(I){let Z=S[I];return Z===void 0&&(Z=new dl,S[I]=Z),Z.getHandSpace()};function U(I){const Z=w.indexOf(I.inputSource);if(Z===-1)return;const le=S[Z];le!==void 0&&(le.update(I.inputSource,I.frame,c||o),le.dispatchEvent({type:I.type,data:I.inputSource}))}function j(){s.removeEventListener("select",U),s.removeEventListener("selectstart",U),s.removeEventListener("selectend",U),s.removeEventListener("squeeze",U),s.removeEventListener("squeezestart",U),s.removeEventListener("squeezeend",U),s.removeEventListener("end",j),s.removeEventListener("inputsourceschange",X);for(let I=0;I<S.length;I++){const Z=w[I];Z!==null&&(w[I]=null,S[I].disconnect(Z))}N=null,G=null,v.reset(),e.setRenderTarget(p),m=null,f=null,h=null,s=null,y=null,V.stop(),n.isPresenting=!1,e.setPixelRatio(T),e.setSize(H.width,H.height,!1),n.dispatchEvent({type:"sessionend"})}this.setFramebufferScaleFactor=function(I){r=I,n.isPresenting===!0&&console.warn("THREE.WebXRManager: Cannot change framebuffer scale while presenting.")},this.setReferenceSpaceType=function(I){a=I,n.isPresenting===!0&&console.warn("THREE.WebXRManager: Cannot change reference space type while presenting.")},this.getReferenceSpace=function(){return c||o},this.setReferenceSpace=function(I){c=I},this.getBaseLayer=function(){return f!==null?f:m},this.getBinding=function(){return h},this.getFrame=function(){return _},this.getSession=function(){return s},this.setSession=async function(I){if(s=I,s!==null){if(p=e.getRenderTarget(),s.addEventListener("select",U),s.addEventListener("selectstart",U),s.addEventListener("selectend",U),s.addEventListener("squeeze",U),s.addEventListener("squeezestart",U),s.addEventListener("squeezeend",U),s.addEventListener("end",j),s.addEventListener("inputsourceschange",X),d.xrCompatible!==!0&&await t.makeXRCompatible(),T=e.getPixelRatio(),e.getSize(H),s.renderState.layers===void 0){const Z={antialias:d.antialias,alpha:!0,depth:d.depth,stencil:d.stencil,framebufferScaleFactor:r};m=new XRWebGLLayer(s,t,Z),s.updateRenderState({baseLayer:m}),e.setPixelRatio(1),e.setSize(m.framebufferWidth,m.framebufferHeight,!1),y=new ws(m.framebufferWidth,m.framebufferHeight,{format:vi,type:ns,colorSpace:e.outputColorSpace,stencilBuffer:d.stencil})}else{let Z=null,le=null,B=null;d.depth&&(B=d.stencil?t.DEPTH24_STENCIL8:t.DEPTH_COMPONENT24,Z=d.stencil?Zr:hr,le=d.stencil?to:_r);const se={colorFormat:t.RGBA8,depthFormat:B,scaleFactor:r};h=new XRWebGLBinding(s,t),f=h.createProjectionLayer(se),s.updateRenderState({layers:[f]}),e.setPixelRatio(1),e.setSize(f.textureWidth,f.textureHeight,!1),y=new ws(f.textureWidth,f.textureHeight,{format:vi,type:ns,depthTexture:new Jf(f.textureWidth,f.textureHeight,le,void 0,void 0,void 0,void 0,void 0,void 0,Z),stencilBuffer:d.stencil,colorSpace:e.outputColorSpace,samples:d.antialias?4:0,resolveDepthBuffer:f.ignoreDepthValues===!1})}y.isXRRenderTarget=!0,this.setFoveation(l),c=null,o=await s.requestReferenceSpace(a),V.setContext(s),V.start(),n.isPresenting=!0,n.dispatchEvent({type:"sessionstart"})}},this.getEnvironmentBlendMode=function(){if(s!==null)return s.environmentBlendMode};function X(I){for(let Z=0;Z<I.removed.length;Z++){const le=I.removed[Z],B=w.indexOf(le);B>=0&&(w[B]=null,S[B].disconnect(le))}for(let Z=0;Z<I.added.length;Z++){const le=I.added[Z];let B=w.indexOf(le);if(B===-1){for(let q=0;q<S.length;q++)if(q>=w.length){w.push(le),B=q;break}else if(w[q]===null){w[q]=le,B=q;break}if(B===-1)break}const se=S[B];se&&se.connect(le)}}const ie=new $,ee=new $;function te(I,Z,le){ie.setFromMatrixPosition(Z.matrixWorld),ee.setFromMatrixPosition(le.matrixWorld);const B=ie.distanceTo(ee),se=Z.projectionMatrix.elements,q=le.projectionMatrix.elements,F=se[14]/(se[10]-1),ve=se[14]/(se[10]+1),ge=(se[9]+1)/se[5],Re=(se[9]-1)/se[5],Me=(se[8]-1)/se[0],Ce=(q[8]+1)/q[0],Ne=F*Me,qe=F*Ce,_t=B/(-Me+Ce),k=_t*-Me;Z.matrixWorld.decompose(I.position,I.quaternion,I.scale),I.translateX(k),I.translateZ(_t),I.matrixWorld.compose(I.position,I.quaternion,I.scale),I.matrixWorldInverse.copy(I.matrixWorld).invert();const A=F+_t,ce=ve+_t,pe=Ne-k,xe=qe+(B-k),he=ge*ve/ce*A,de=Re*ve/ce*A;I.projectionMatrix.makePerspective(pe,xe,he,de,A,ce),I.projectionMatrixInverse.copy(I.projectionMatrix).invert()}function K(I,Z){Z===null?I.matrixWorld.copy(I.matrix):I.matrixWorld.multiplyMatrices(Z.matrixWorld,I.matrix),I.matrixWorldInverse.copy(I.matrixWorld).invert()}this.updateCamera=function(I){if(s===null)return;v.texture!==null&&(I.near=v.depthNear,I.far=v.depthFar),x.near=z.near=R.near=I.near,x.far=z.far=R.far=I.far,(N!==x.near||G!==x.far)&&(s.updateRenderState({depthNear:x.near,depthFar:x.far}),N=x.near,G=x.far,R.near=N,R.far=G,z.near=N,z.far=G,R.updateProjectionMatrix(),z.updateProjectionMatrix(),I.updateProjectionMatrix());const Z=I.parent,le=x.cameras;K(x,Z);for(let B=0;B<le.length;B++)K(le[B],Z);le.length===2?te(x,R,z):x.projectionMatrix.copy(R.projectionMatrix),Y(I,x,Z)};function Y(I,Z,le){le===null?I.matrix.copy(Z.matrixWorld):(I.matrix.copy(le.matrixWorld),I.matrix.invert(),I.matrix.multiply(Z.matrixWorld)),I.matrix.decompose(I.position,I.quaternion,I.scale),I.updateMatrixWorld(!0),I.projectionMatrix.copy(Z.projectionMatrix),I.projectionMatrixInverse.copy(Z.projectionMatrixInverse),I.isPerspectiveCamera&&(I.fov=Ol*2*Math.atan(1/I.projectionMatrix.elements[5]),I.zoom=1)}this.getCamera=function(){return x},this.getFoveation=function(){if(!(f===null&&m===null))return l},this.setFoveation=function(I){l=I,f!==null&&(f.fixedFoveation=I),m!==null&&m.fixedFoveation!==void 0&&(m.fixedFoveation=I)},this.hasDepthSensing=function(){return v.texture!==null};let fe=null;function P(I,Z){if(u=Z.getViewerPose(c||o),_=Z,u!==null){const le=u.views;m!==null&&(e.setRenderTargetFramebuffer(y,m.framebuffer),e.setRenderTarget(y));let B=!1;le.length!==x.cameras.length&&(x.cameras.length=0,B=!0);for(let q=0;q<le.length;q++){const F=le[q];let ve=null;if(m!==null)ve=m.getViewport(F);else{const Re=h.getViewSubImage(f,F);ve=Re.viewport,q===0&&(e.setRenderTargetTextures(y,Re.colorTexture,f.ignoreDepthValues?void 0:Re.depthStencilTexture),e.setRenderTarget(y))}let ge=b[q];ge===void 0&&(ge=new Yn,ge.layers.enable(q),ge.viewport=new un,b[q]=ge),ge.matrix.fromArray(F.transform.matrix),ge.matrix.decompose(ge.position,ge.quaternion,ge.scale),ge.projectionMatrix.fromArray(F.projectionMatrix),ge.projectionMatrixInverse.copy(ge.projectionMatrix).invert(),ge.viewport.set(ve.x,ve.y,ve.width,ve.height),q===0&&(x.matrix.copy(ge.matrix),x.matrix.decompose(x.position,x.quaternion,x.scale)),B===!0&&x.cameras.push(ge)}const se=s.enabledFeatures;if(se&&se.includes("depth-sensing")){const q=h.getDepthInformation(le[0]);q&&q.isValid&&q.texture&&v.init(e,q,s.renderState)}}for(let le=0;le<S.length;le++){const B=w[le],se=S[le];B!==null&&se!==void 0&&se.update(B,Z,c||o)}v.render(e,x),fe&&fe(I,Z),Z.detectedPlanes&&n.dispatchEvent({type:"planesdetected",data:Z}),_=null}const V=new Zf;V.setAnimationLoop(P),this.setAnimationLoop=function(I){fe=I},this.dispose=function(){}}}const fs=new Ni,Yx=new Bt;function qx(i,e){function t(d,p){d.matrixAutoUpdate===!0&&d.updateMatrix(),p.value.copy(d.matrix)}function n(d,p){p.color.getRGB(d.fogColor.value,Yf(i)),p.isFog?(d.fogNear.value=p.near,d.fogFar.value=p.far):p.isFogExp2&&(d.fogDensity.value=p.density)}function s(d,p,y,S,w){p.isMeshBasicMaterial||p.isMeshLambertMaterial?r(d,p):p.isMeshToonMaterial?(r(d,p),h(d,p)):p.isMeshPhongMaterial?(r(d,p),u(d,p)):p.isMeshStandardMaterial?(r(d,p),f(d,p),p.isMeshPhysicalMaterial&&m(d,p,w)):p.isMeshMatcapMaterial?(r(d,p),_(d,p)):p.isMeshDepthMaterial?r(d,p):p.isMeshDistanceMaterial?(r(d,p),v(d,p)):p.isMeshNormalMaterial?r(d,p):p.isLineBasicMaterial?(o(d,p),p.isLineDashedMaterial&&a(d,p)):p.isPointsMaterial?l(d,p,y,S):p.isSpriteMaterial?c(d,p):p.isShadowMaterial?(d.color.value.copy(p.color),d.opacity.value=p.opacity):p.isShaderMaterial&&(p.uniformsNeedUpdate=!1)}function r(d,p){d.opacity.value=p.opacity,p.color&&d.diffuse.value.copy(p.color),p.emissive&&d.emissive.value.copy(p.emissive).multiplyScalar(p.emissiveIntensity),p.map&&(d.map.value=p.map,t(p.map,d.mapTransform)),p.alphaMap&&(d.alphaMap.value=p.alphaMap,t(p.alphaMap,d.alphaMapTransform)),p.bumpMap&&(d.bumpMap.value=p.bumpMap,t(p.bumpMap,d.bumpMapTransform),d.bumpScale.value=p.bumpScale,p.side===Tn&&(d.bumpScale.value*=-1)),p.normalMap&&(d.normalMap.value=p.normalMap,t(p.normalMap,d.normalMapTransform),d.normalScale.value.copy(p.normalScale),p.side===Tn&&d.normalScale.value.negate()),p.displacementMap&&(d.displacementMap.value=p.displacementMap,t(p.displacementMap,d.displacementMapTransform),d.displacementScale.value=p.displacementScale,d.displacementBias.value=p.displacementBias),p.emissiveMap&&(d.emissiveMap.value=p.emissiveMap,t(p.emissiveMap,d.emissiveMapTransform)),p.specularMap&&(d.specularMap.value=p.specularMap,t(p.specularMap,d.specularMapTransform)),p.alphaTest>0&&(d.alphaTest.value=p.alphaTest);const y=e.get(p),S=y.envMap,w=y.envMapRotation;if(S&&(d.envMap.value=S,fs.copy(w),fs.x*=-1,fs.y*=-1,fs.z*=-1,S.isCubeTexture&&S.isRenderTargetTexture===!1&&(fs.y*=-1,fs.z*=-1),d.envMapRotation.value.setFromMatrix4(Yx.makeRotationFromEuler(fs)),d.flipEnvMap.value=S.isCubeTexture&&S.isRenderTargetTexture===!1?-1:1,d.reflectivity.value=p.reflectivity,d.ior.value=p.ior,d.refractionRatio.value=p.refractionRatio),p.lightMap){d.lightMap.value=p.lightMap;const H=i._useLegacyLights===!0?Math.PI:1;d.lightMapIntensity.value=p.lightMapIntensity*H,t(p.lightMap,d.lightMapTransform)}p.aoMap&&(d.aoMap.value=p.aoMap,d.aoMapIntensity.value=p.aoMapIntensity,t(p.aoMap,d.aoMapTransform))}function o(d,p){d.diffuse.value.copy(p.color),d.opacity.value=p.opacity,p.map&&(d.map.value=p.map,t(p.map,d.mapTransform))}function a(d,p){d.dashSize.value=p.dashSize,d.totalSize.value=p.dashSize+p.gapSize,d.scale.value=p.scale}function l(d,p,y,S){d.diffuse.value.copy(p.color),d.opacity.value=p.opacity,d.size.value=p.size*y,d.scale.value=S*.5,p.map&&(d.map.value=p.map,t(p.map,d.uvTransform)),p.alphaMap&&(d.alphaMap.value=p.alphaMap,t(p.alphaMap,d.alphaMapTransform)),p.alphaTest>0&&(d.alphaTest.value=p.alphaTest)}function c(d,p){d.diffuse.value.copy(p.color),d.opacity.value=p.opacity,d.rotation.value=p.rotation,p.map&&(d.map.value=p.map,t(p.map,d.mapTransform)),p.alphaMap&&(d.alphaMap.value=p.alphaMap,t(p.alphaMap,d.alphaMapTransform)),p.alphaTest>0&&(d.alphaTest.value=p.alphaTest)}function u(d,p){d.specular.value.copy(p.specular),d.shininess.value=Math.max(p.shininess,1e-4)}function h(d,p){p.gradientMap&&(d.gradientMap.value=p.gradientMap)}function f(d,p){d.metalness.value=p.metalness,p.metalnessMap&&(d.metalnessMap.value=p.metalnessMap,t(p.metalnessMap,d.metalnessMapTransform)),d.roughness.value=p.roughness,p.roughnessMap&&(d.roughnessMap.value=p.roughnessMap,t(p.roughnessMap,d.roughnessMapTransform)),p.envMap&&(d.envMapIntensity.value=p.envMapIntensity)}function m(d,p,y){d.ior.value=p.ior,p.sheen>0&&(d.sheenColor.value.copy(p.sheenColor).multiplyScalar(p.sheen),d.sheenRoughness.value=p.sheenRoughness,p.sheenColorMap&&(d.sheenColorMap.value=p.sheenColorMap,t(p.sheenColorMap,d.sheenColorMapTransform)),p.sheenRoughnessMap&&(d.sheenRoughnessMap.value=p.sheenRoughnessMap,t(p.sheenRoughnessMap,d.sheenRoughnessMapTransform))),p.clearcoat>0&&(d.clearcoat.value=p.clearcoat,d.clearcoatRoughness.value=p.clearcoatRoughness,p.clearcoatMap&&(d.clearcoatMap.value=p.clearcoatMap,t(p.clearcoatMap,d.clearcoatMapTransform)),p.clearcoatRoughnessMap&&(d.clearcoatRoughnessMap.value=p.clearcoatRoughnessMap,t(p.clearcoatRoughnessMap,d.clearcoatRoughnessMapTransform)),p.clearcoatNormalMap&&(d.clearcoatNormalMap.value=p.clearcoatNormalMap,t(p.clearcoatNormalMap,d.clearcoatNormalMapTransform),d.clearcoatNormalScale.value.copy(p.clearcoatNormalScale),p.side===Tn&&d.clearcoatNormalScale.value.negate())),p.dispersion>0&&(d.dispersion.value=p.dispersion),p.iridescence>0&&(d.iridescence.value=p.iridescence,d.iridescenceIOR.value=p.iridescenceIOR,d.iridescenceThicknessMinimum.value=p.iridescenceThicknessRange[0],d.iridescenceThicknessMaximum.value=p.iridescenceThicknessRange[1],p.iridescenceMap&&(d.iridescenceMap.value=p.iridescenceMap,t(p.iridescenceMap,d.iridescenceMapTransform)),p.iridescenceThicknessMap&&(d.iridescenceThicknessMap.value=p.iridescenceThicknessMap,t(p.iridescenceThicknessMap,d.iridescenceThicknessMapTransform))),p.transmission>0&&(d.transmission.value=p.transmission,d.transmissionSamplerMap.value=y.texture,d.transmissionSamplerSize.value.set(y.width,y.height),p.transmissionMap&&(d.transmissionMap.value=p.transmissionMap,t(p.transmissionMap,d.transmissionMapTransform)),d.thickness.value=p.thickness,p.thicknessMap&&(d.thicknessMap.value=p.thicknessMap,t(p.thicknessMap,d.thicknessMapTransform)),d.attenuationDistance.value=p.attenuationDistance,d.attenuationColor.value.copy(p.attenuationColor)),p.anisotropy>0&&(d.anisotropyVector.value.set(p.anisotropy*Math.cos(p.anisotropyRotation),p.anisotropy*Math.sin(p.anisotropyRotation)),p.anisotropyMap&&(d.anisotropyMap.value=p.anisotropyMap,t(p.anisotropyMap,d.anisotropyMapTransform))),d.specularIntensity.value=p.specularIntensity,d.specularColor.value.copy(p.specularColor),p.specularColorMap&&(d.specularColorMap.value=p.specularColorMap,t(p.specularColorMap,d.specularColorMapTransform)),p.specularIntensityMap&&(d.specularIntensityMap.value=p.specularIntensityMap,t(p.specularIntensityMap,d.specularIntensityMapTransform))}function _(d,p){p.matcap&&(d.matcap.value=p.matcap)}function v(d,p){const y=e.get(p).light;d.referencePosition.value.setFromMatrixPosition(y.matrixWorld),d.nearDistance.value=y.shadow.camera.near,d.farDistance.value=y.shadow.camera.far}return{refreshFogUniforms:n,refreshMaterialUniforms:s}}function Kx(i,e,t,n){let s={},r={},o=[];const a=i.getParameter(i.MAX_UNIFORM_BUFFER_BINDINGS);function l(y,S){const w=S.program;n.uniformBlockBinding(y,w)}function c(y,S){let w=s[y.id];w===void 0&&(_(y),w=u(y),s[y.id]=w,y.addEventListener("dispose",d));const H=S.program;n.updateUBOMapping(y,H);const T=e.render.frame;r[y.id]!==T&&(f(y),r[y.id]=T)}function u(y){const S=h();y.__bindingPointIndex=S;const w=i.createBuffer(),H=y.__size,T=y.usage;return i.bindBuffer(i.UNIFORM_BUFFER,w),i.bufferData(i.UNIFORM_BUFFER,H,T),i.bindBuffer(i.UNIFORM_BUFFER,null),i.bindBufferBase(i.UNIFORM_BUFFER,S,w),w}function h(){for(let y=0;y<a;y++)if(o.indexOf(y)===-1)return o.push(y),y;return console.error("THREE.WebGLRenderer: Maximum number of simultaneously usable uniforms groups reached."),0}function f(y){const S=s[y.id],w=y.uniforms,H=y.__cache;i.bindBuffer(i.UNIFORM_BUFFER,S);for(let T=0,R=w.length;T<R;T++){const z=Array.isArray(w[T])?w[T]:[w[T]];for(let b=0,x=z.length;b<x;b++){const N=z[b];if(m(N,T,b,H)===!0){const G=N.__offset,U=Array.isArray(N.value)?N.value:[N.value];let j=0;for(let X=0;X<U.length;X++){const ie=U[X],ee=v(ie);typeof ie=="number"||typeof ie=="boolean"?(N.__data[0]=ie,i.bufferSubData(i.UNIFORM_BUFFER,G+j,N.__data)):ie.isMatrix3?(N.__data[0]=ie.elements[0],N.__data[1]=ie.elements[1],N.__data[2]=ie.elements[2],N.__data[3]=0,N.__data[4]=ie.elements[3],N.__data[5]=ie.elements[4],N.__data[6]=ie.elements[5],N.__data[7]=0,N.__data[8]=ie.elements[6],N.__data[9]=ie.elements[7],N.__data[10]=ie.elements[8],N.__data[11]=0):(ie.toArray(N.__data,j),j+=ee.storage/Float32Array.BYTES_PER_ELEMENT)}i.bufferSubData(i.UNIFORM_BUFFER,G,N.__data)}}}i.bindBuffer(i.UNIFORM_BUFFER,null)}function m(y,S,w,H){const T=y.value,R=S+"_"+w;if(H[R]===void 0)return typeof T=="number"||typeof T=="boolean"?H[R]=T:H[R]=T.clone(),!0;{const z=H[R];if(typeof T=="number"||typeof T=="boolean"){if(z!==T)return H[R]=T,!0}else if(z.equals(T)===!1)return z.copy(T),!0}return!1}function _(y){const S=y.uniforms;let w=0;const H=16;for(let R=0,z=S.length;R<z;R++){const b=Array.isArray(S[R])?S[R]:[S[R]];for(let x=0,N=b.length;x<N;x++){const G=b[x],U=Array.isArray(G.value)?G.value:[G.value];for(let j=0,X=U.length;j<X;j++){const ie=U[j],ee=v(ie),te=w%H;te!==0&&H-te<ee.boundary&&(w+=H-te),G.__data=new Float32Array(ee.storage/Float32Array.BYTES_PER_ELEMENT),G.__offset=w,w+=ee.storage}}}const T=w%H;return T>0&&(w+=H-T),y.__size=w,y.__cache={},this}function v(y){const S={boundary:0,storage:0};return typeof y=="number"||typeof y=="boolean"?(S.boundary=4,S.storage=4):y.isVector2?(S.boundary=8,S.storage=8):y.isVector3||y.isColor?(S.boundary=16,S.storage=12):y.isVector4?(S.boundary=16,S.storage=16):y.isMatrix3?(S.boundary=48,S.storage=48):y.isMatrix4?(S.boundary=64,S.storage=64):y.isTexture?console.warn("THREE.WebGLRenderer: Texture samplers can not be part of an uniforms group."):console.warn("THREE.WebGLRenderer: Unsupported uniform value type.",y),S}function d(y){const S=y.target;S.removeEventListener("dispose",d);const w=o.indexOf(S.__bindingPointIndex);o.splice(w,1),i.deleteBuffer(s[S.id]),delete s[S.id],delete r[S.id]}function p(){for(const y in s)i.deleteBuffer(s[y]);o=[],s={},r={}}return{bind:l,update:c,dispose:p}}class jx{constructor(e={}){const{canvas:t=Hm(),context:n=null,depth:s=!0,stencil:r=!1,alpha:o=!1,antialias:a=!1,premultipliedAlpha:l=!0,preserveDrawingBuffer:c=!1,powerPreference:u="default",failIfMajorPerformanceCaveat:h=!1}=e;this.isWebGLRenderer=!0;let f;if(n!==null){if(typeof WebGLRenderingContext<"u"&&n instanceof WebGLRenderingContext)throw new Error("THREE.WebGLRenderer: WebGL 1 is not supported since r163.");f=n.getContextAttributes().alpha}else f=o;const m=new Uint32Array(4),_=new Int32Array(4);let v=null,d=null;const p=[],y=[];this.domElement=t,this.debug={checkShaderErrors:!0,onShaderError:null},this.autoClear=!0,this.autoClearColor=!0,this.autoClearDepth=!0,this.autoClearStencil=!0,this.sortObjects=!0,this.clippingPlanes=[],this.localClippingEnabled=!1,this._outputColorSpace=di,this._useLegacyLights=!1,this.toneMapping=es,this.toneMappingExposure=1;const S=this;let w=!1,H=0,T=0,R=null,z=-1,b=null;const x=new un,N=new un;let G=null;const U=new St(0);let j=0,X=t.width,ie=t.height,ee=1,te=null,K=null;const Y=new un(0,0,X,ie),fe=new un(0,0,X,ie);let P=!1;const V=new jf;let I=!1,Z=!1;const le=new Bt,B=new $,se={background:null,fog:null,environment:null,overrideMaterial:null,isScene:!0};function q(){return R===null?ee:1}let F=n;function ve(C,Q){return t.getContext(C,Q)}try{const C={alpha:!0,depth:s,stencil:r,antialias:a,premultipliedAlpha:l,preserveDrawingBuffer:c,powerPreference:u,failIfMajorPerformanceCaveat:h};if("setAttribute"in t&&t.setAttribute("data-engine",`three.js r${Zl}`),t.addEventListener("webglcontextlost",M,!1),t.addEventListener("webglcontextrestored",J,!1),t.addEventListener("webglcontextcreationerror",re,!1),F===null){const Q="webgl2";if(F=ve(Q,C),F===null)throw ve(Q)?new Error("Error creating WebGL context with your selected attributes."):new Error("Error creating WebGL context.")}}catch(C){throw console.error("THREE.WebGLRenderer: "+C.message),C}let ge,Re,Me,Ce,Ne,qe,_t,k,A,ce,pe,xe,he,de,Se,Ee,Xe,we,ke,Qe,Be,Pe,Ve,$e;function ht(){ge=new sv(F),ge.init(),Pe=new zx(F,ge),Re=new Z0(F,ge,e,Pe),Me=new kx(F),Ce=new av(F),Ne=new bx,qe=new Bx(F,ge,Me,Ne,Re,Pe,Ce),_t=new Q0(S),k=new iv(S),A=new dg(F),Ve=new K0(F,A),ce=new rv(F,A,Ce,Ve),pe=new cv(F,ce,A,Ce),ke=new lv(F,Re,qe),Ee=new J0(Ne),xe=new Ex(S,_t,k,ge,Re,Ve,Ee),he=new qx(S,Ne),de=new Tx,Se=new Dx(ge),we=new q0(S,_t,k,Me,pe,f,l),Xe=new Fx(S,pe,Re),$e=new Kx(F,Ce,Re,Me),Qe=new j0(F,ge,Ce),Be=new ov(F,ge,Ce),Ce.programs=xe.programs,S.capabilities=Re,S.extensions=ge,S.properties=Ne,S.renderLists=de,S.shadowMap=Xe,S.state=Me,S.info=Ce}ht();const Ze=new $x(S,F);this.xr=Ze,this.getContext=function(){return F},this.getContextAttributes=function(){return F.getContextAttributes()},this.forceContextLoss=function(){const C=ge.get("WEBGL_lose_context");C&&C.loseContext()},this.forceContextRestore=function(){const C=ge.get("WEBGL_lose_context");C&&C.restoreContext()},this.getPixelRatio=function(){return ee},this.setPixelRatio=function(C){C!==void 0&&(ee=C,this.setSize(X,ie,!1))},this.getSize=function(C){return C.set(X,ie)},this.setSize=function(C,Q,ue=!0){if(Ze.isPresenting){console.warn("THREE.WebGLRenderer: Can't change size while VR device is presenting.");return}X=C,ie=Q,t.width=Math.floor(C*ee),t.height=Math.floor(Q*ee),ue===!0&&(t.style.width=C+"px",t.style.height=Q+"px"),this.setViewport(0,0,C,Q)},this.getDrawingBufferSize=function(C){return C.set(X*ee,ie*ee).floor()},this.setDrawingBufferSize=function(C,Q,ue){X=C,ie=Q,ee=ue,t.width=Math.floor(C*ue),t.height=Math.floor(Q*ue),this.setViewport(0,0,C,Q)},this.getCurrentViewport=function(C){return C.copy(x)},this.getViewport=function(C){return C.copy(Y)},this.setViewport=function(C,Q,ue,ae){C.isVector4?Y.set(C.x,C.y,C.z,C.w):Y.set(C,Q,ue,ae),Me.viewport(x.copy(Y).multiplyScalar(ee).round())},this.getScissor=function(C){return C.copy(fe)},this.setScissor=function(C,Q,ue,ae){C.isVector4?fe.set(C.x,C.y,C.z,C.w):fe.set(C,Q,ue,ae),Me.scissor(N.copy(fe).multiplyScalar(ee).round())},this.getScissorTest=function(){return P},this.setScissorTest=function(C){Me.setScissorTest(P=C)},this.setOpaqueSort=function(C){te=C},this.setTransparentSort=function(C){K=C},this.getClearColor=function(C){return C.copy(we.getClearColor())},this.setClearColor=function(){we.setClearColor.apply(we,arguments)},this.getClearAlpha=function(){return we.getClearAlpha()},this.setClearAlpha=function(){we.setClearAlpha.apply(we,arguments)},this.clear=function(C=!0,Q=!0,ue=!0){let ae=0;if(C){let oe=!1;if(R!==null){const be=R.texture.format;oe=be===Bf||be===kf||be===Ff}if(oe){const be=R.texture.type,Le=be===ns||be===_r||be===Uf||be===to||be===Nf||be===Of,De=we.getClearColor(),We=we.getClearAlpha(),Ge=De.r,Ke=De.g,tt=De.b;Le?(m[0]=Ge,m[1]=Ke,m[2]=tt,m[3]=We,F.clearBufferuiv(F.COLOR,0,m)):(_[0]=Ge,_[1]=Ke,_[2]=tt,_[3]=We,F.clearBufferiv(F.COLOR,0,_))}else ae|=F.COLOR_BUFFER_BIT}Q&&(ae|=F.DEPTH_BUFFER_BIT),ue&&(ae|=F.STENCIL_BUFFER_BIT,this.state.buffers.stencil.setMask(4294967295)),F.clear(ae)},this.clearColor=function(){this.clear(!0,!1,!1)},this.clearDepth=function(){this.clear(!1,!0,!1)},this.clearStencil=function(){this.clear(!1,!1,!0)},this.dispose=function(){t.removeEventListener("webglcontextlost",M,!1),t.removeEventListener("webglcontextrestored",J,!1),t.removeEventListener("webglcontextcreationerror",re,!1),de.dispose(),Se.dispose(),Ne.dispose(),_t.dispose(),k.dispose(),pe.dispose(),Ve.dispose(),$e.dispose(),xe.dispose(),Ze.dispose(),Ze.removeEventListener("sessionstart",lt),Ze.removeEventListener("sessionend",It),ut.stop()};function M(C){C.preventDefault(),console.log("THREE.WebGLRenderer: Context Lost."),w=!0}function J(){console.log("THREE.WebGLRenderer: Context Restored."),w=!1;const C=Ce.autoReset,Q=Xe.enabled,ue=Xe.autoUpdate,ae=Xe.needsUpdate,oe=Xe.type;ht(),Ce.autoReset=C,Xe.enabled=Q,Xe.autoUpdate=ue,Xe.needsUpdate=ae,Xe.type=oe}function re(C){console.error("THREE.WebGLRenderer: A WebGL context could not be created. Reason: ",C.statusMessage)}function _e(C){const Q=C.target;Q.removeEventListener("dispose",_e),Ae(Q)}function Ae(C){et(C),Ne.remove(C)}function et(C){const Q=Ne.get(C).programs;Q!==void 0&&(Q.forEach(function(ue){xe.releaseProgram(ue)}),C.isShaderMaterial&&xe.releaseShaderCache(C))}this.renderBufferDirect=function(C,Q,ue,ae,oe,be){Q===null&&(Q=se);const Le=oe.isMesh&&oe.matrixWorld.determinant()<0,De=ro(C,Q,ue,ae,oe);Me.setMaterial(ae,Le);let We=ue.index,Ge=1;if(ae.wireframe===!0){if(We=ce.getWireframeAttribute(ue),We===void 0)return;Ge=2}const Ke=ue.drawRange,tt=ue.attributes.position;let Lt=Ke.start*Ge,Ft=(Ke.start+Ke.count)*Ge;be!==null&&(Lt=Math.max(Lt,be.start*Ge),Ft=Math.min(Ft,(be.start+be.count)*Ge)),We!==null?(Lt=Math.max(Lt,0),Ft=Math.min(Ft,We.count)):tt!=null&&(Lt=Math.max(Lt,0),Ft=Math.min(Ft,tt.count));const Ht=Ft-Lt;if(Ht<0||Ht===1/0)return;Ve.setup(oe,ae,De,ue,We);let Rn,ct=Qe;if(We!==null&&(Rn=A.get(We),ct=Be,ct.setIndex(Rn)),oe.isMesh)ae.wireframe===!0?(Me.setLineWidth(ae.wireframeLinewidth*q()),ct.setMode(F.LINES)):ct.setMode(F.TRIANGLES);else if(oe.isLine){let je=ae.linewidth;je===void 0&&(je=1),Me.setLineWidth(je*q()),oe.isLineSegments?ct.setMode(F.LINES):oe.isLineLoop?ct.setMode(F.LINE_LOOP):ct.setMode(F.LINE_STRIP)}else oe.isPoints?ct.setMode(F.POINTS):oe.isSprite&&ct.setMode(F.TRIANGLES);if(oe.isBatchedMesh)oe._multiDrawInstances!==null?ct.renderMultiDrawInstances(oe._multiDrawStarts,oe._multiDrawCounts,oe._multiDrawCount,oe._multiDrawInstances):ct.renderMultiDraw(oe._multiDrawStarts,oe._multiDrawCounts,oe._multiDrawCount);else if(oe.isInstancedMesh)ct.renderInstances(Lt,Ht,oe.count);else if(ue.isInstancedBufferGeometry){const je=ue._maxInstanceCount!==void 0?ue._maxInstanceCount:1/0,yi=Math.min(ue.instanceCount,je);ct.renderInstances(Lt,Ht,yi)}else ct.render(Lt,Ht)};function it(C,Q,ue){C.transparent===!0&&C.side===mi&&C.forceSinglePass===!1?(C.side=Tn,C.needsUpdate=!0,Kn(C,Q,ue),C.side=ts,C.needsUpdate=!0,Kn(C,Q,ue),C.side=mi):Kn(C,Q,ue)}this.compile=function(C,Q,ue=null){ue===null&&(ue=C),d=Se.get(ue),d.init(Q),y.push(d),ue.traverseVisible(function(oe){oe.isLight&&oe.layers.test(Q.layers)&&(d.pushLight(oe),oe.castShadow&&d.pushShadow(oe))}),C!==ue&&C.traverseVisible(function(oe){oe.isLight&&oe.layers.test(Q.layers)&&(d.pushLight(oe),oe.castShadow&&d.pushShadow(oe))}),d.setupLights(S._useLegacyLights);const ae=new Set;return C.traverse(function(oe){const be=oe.material;if(be)if(Array.isArray(be))for(let Le=0;Le<be.length;Le++){const De=be[Le];it(De,ue,oe),ae.add(De)}else it(be,ue,oe),ae.add(be)}),y.pop(),d=null,ae},this.compileAsync=function(C,Q,ue=null){const ae=this.compile(C,Q,ue);return new Promise(oe=>{function be(){if(ae.forEach(function(Le){Ne.get(Le).currentProgram.isReady()&&ae.delete(Le)}),ae.size===0){oe(C);return}setTimeout(be,10)}ge.get("KHR_parallel_shader_compile")!==null?be():setTimeout(be,10)})};let bt=null;function zt(C){bt&&bt(C)}function lt(){ut.stop()}function It(){ut.start()}const ut=new Zf;ut.setAnimationLoop(zt),typeof self<"u"&&ut.setContext(self),this.setAnimationLoop=function(C){bt=C,Ze.setAnimationLoop(C),C===null?ut.stop():ut.start()},Ze.addEventListener("sessionstart",lt),Ze.addEventListener("sessionend",It),this.render=function(C,Q){if(Q!==void 0&&Q.isCamera!==!0){console.error("THREE.WebGLRenderer.render: camera is not an instance of THREE.Camera.");return}if(w===!0)return;C.matrixWorldAutoUpdate===!0&&C.updateMatrixWorld(),Q.parent===null&&Q.matrixWorldAutoUpdate===!0&&Q.updateMatrixWorld(),Ze.enabled===!0&&Ze.isPresenting===!0&&(Ze.cameraAutoUpdate===!0&&Ze.updateCamera(Q),Q=Ze.getCamera()),C.isScene===!0&&C.onBeforeRender(S,C,Q,R),d=Se.get(C,y.length),d.init(Q),y.push(d),le.multiplyMatrices(Q.projectionMatrix,Q.matrixWorldInverse),V.setFromProjectionMatrix(le),Z=this.localClippingEnabled,I=Ee.init(this.clippingPlanes,Z),v=de.get(C,p.length),v.init(),p.push(v),wt(C,Q,0,S.sortObjects),v.finish(),S.sortObjects===!0&&v.sort(te,K);const ue=Ze.enabled===!1||Ze.isPresenting===!1||Ze.hasDepthSensing()===!1;ue&&we.addToRenderList(v,C),this.info.render.frame++,I===!0&&Ee.beginShadows();const ae=d.state.shadowsArray;Xe.render(ae,C,Q),I===!0&&Ee.endShadows(),this.info.autoReset===!0&&this.info.reset();const oe=v.opaque,be=v.transmissive;if(d.setupLights(S._useLegacyLights),Q.isArrayCamera){const Le=Q.cameras;if(be.length>0)for(let De=0,We=Le.length;De<We;De++){const Ge=Le[De];mn(oe,be,C,Ge)}ue&&we.render(C);for(let De=0,We=Le.length;De<We;De++){const Ge=Le[De];Ut(v,C,Ge,Ge.viewport)}}else be.length>0&&mn(oe,be,C,Q),ue&&we.render(C),Ut(v,C,Q);R!==null&&(qe.updateMultisampleRenderTarget(R),qe.updateRenderTargetMipmap(R)),C.isScene===!0&&C.onAfterRender(S,C,Q),Ve.resetDefaultState(),z=-1,b=null,y.pop(),y.length>0?(d=y[y.length-1],I===!0&&Ee.setGlobalState(S.clippingPlanes,d.state.camera)):d=null,p.pop(),p.length>0?v=p[p.length-1]:v=null};function wt(C,Q,ue,ae){if(C.visible===!1)return;if(C.layers.test(Q.layers)){if(C.isGroup)ue=C.renderOrder;else if(C.isLOD)C.autoUpdate===!0&&C.update(Q);else if(C.isLight)d.pushLight(C),C.castShadow&&d.pushShadow(C);else if(C.isSprite){if(!C.frustumCulled||V.intersectsSprite(C)){ae&&B.setFromMatrixPosition(C.matrixWorld).applyMatrix4(le);const Le=pe.update(C),De=C.material;De.visible&&v.push(C,Le,De,ue,B.z,null)}}else if((C.isMesh||C.isLine||C.isPoints)&&(!C.frustumCulled||V.intersectsObject(C))){const Le=pe.update(C),De=C.material;if(ae&&(C.boundingSphere!==void 0?(C.boundingSphere===null&&C.computeBoundingSphere(),B.copy(C.boundingSphere.center)):(Le.boundingSphere===null&&Le.computeBoundingSphere(),B.copy(Le.boundingSphere.center)),B.applyMatrix4(C.matrixWorld).applyMatrix4(le)),Array.isArray(De)){const We=Le.groups;for(let Ge=0,Ke=We.length;Ge<Ke;Ge++){const tt=We[Ge],Lt=De[tt.materialIndex];Lt&&Lt.visible&&v.push(C,Le,Lt,ue,B.z,tt)}}else De.visible&&v.push(C,Le,De,ue,B.z,null)}}const be=C.children;for(let Le=0,De=be.length;Le<De;Le++)wt(be[Le],Q,ue,ae)}function Ut(C,Q,ue,ae){const oe=C.opaque,be=C.transmissive,Le=C.transparent;d.setupLightsView(ue),I===!0&&Ee.setGlobalState(S.clippingPlanes,ue),ae&&Me.viewport(x.copy(ae)),oe.length>0&&hn(oe,Q,ue),be.length>0&&hn(be,Q,ue),Le.length>0&&hn(Le,Q,ue),Me.buffers.depth.setTest(!0),Me.buffers.depth.setMask(!0),Me.buffers.color.setMask(!0),Me.setPolygonOffset(!1)}function mn(C,Q,ue,ae){if((ue.isScene===!0?ue.overrideMaterial:null)!==null)return;d.state.transmissionRenderTarget[ae.id]===void 0&&(d.state.transmissionRenderTarget[ae.id]=new ws(1,1,{generateMipmaps:!0,type:ge.has("EXT_color_buffer_half_float")||ge.has("EXT_color_buffer_float")?oa:ns,minFilter:ys,samples:4,stencilBuffer:r,resolveDepthBuffer:!1,resolveStencilBuffer:!1}));const be=d.state.transmissionRenderTarget[ae.id],Le=ae.viewport||x;be.setSize(Le.z,Le.w);const De=S.getRenderTarget();S.setRenderTarget(be),S.getClearColor(U),j=S.getClearAlpha(),j<1&&S.setClearColor(16777215,.5),S.clear();const We=S.toneMapping;S.toneMapping=es;const Ge=ae.viewport;if(ae.viewport!==void 0&&(ae.viewport=void 0),d.setupLightsView(ae),I===!0&&Ee.setGlobalState(S.clippingPlanes,ae),hn(C,ue,ae),qe.updateMultisampleRenderTarget(be),qe.updateRenderTargetMipmap(be),ge.has("WEBGL_multisampled_render_to_texture")===!1){let Ke=!1;for(let tt=0,Lt=Q.length;tt<Lt;tt++){const Ft=Q[tt],Ht=Ft.object,Rn=Ft.geometry,ct=Ft.material,je=Ft.group;if(ct.side===mi&&Ht.layers.test(ae.layers)){const yi=ct.side;ct.side=Tn,ct.needsUpdate=!0,Jt(Ht,ue,ae,Rn,ct,je),ct.side=yi,ct.needsUpdate=!0,Ke=!0}}Ke===!0&&(qe.updateMultisampleRenderTarget(be),qe.updateRenderTargetMipmap(be))}S.setRenderTarget(De),S.setClearColor(U,j),Ge!==void 0&&(ae.viewport=Ge),S.toneMapping=We}function hn(C,Q,ue){const ae=Q.isScene===!0?Q.overrideMaterial:null;for(let oe=0,be=C.length;oe<be;oe++){const Le=C[oe],De=Le.object,We=Le.geometry,Ge=ae===null?Le.material:ae,Ke=Le.group;De.layers.test(ue.layers)&&Jt(De,Q,ue,We,Ge,Ke)}}function Jt(C,Q,ue,ae,oe,be){C.onBeforeRender(S,Q,ue,ae,oe,be),C.modelViewMatrix.multiplyMatrices(ue.matrixWorldInverse,C.matrixWorld),C.normalMatrix.getNormalMatrix(C.modelViewMatrix),oe.onBeforeRender(S,Q,ue,ae,C,be),oe.transparent===!0&&oe.side===mi&&oe.forceSinglePass===!1?(oe.side=Tn,oe.needsUpdate=!0,S.renderBufferDirect(ue,Q,ae,oe,C,be),oe.side=ts,oe.needsUpdate=!0,S.renderBufferDirect(ue,Q,ae,oe,C,be),oe.side=mi):S.renderBufferDirect(ue,Q,ae,oe,C,be),C.onAfterRender(S,Q,ue,ae,oe,be)}function Kn(C,Q,ue){Q.isScene!==!0&&(Q=se);const ae=Ne.get(C),oe=d.state.lights,be=d.state.shadowsArray,Le=oe.state.version,De=xe.getParameters(C,oe.state,be,Q,ue),We=xe.getProgramCacheKey(De);let Ge=ae.programs;ae.environment=C.isMeshStandardMaterial?Q.environment:null,ae.fog=Q.fog,ae.envMap=(C.isMeshStandardMaterial?k:_t).get(C.envMap||ae.environment),ae.envMapRotation=ae.environment!==null&&C.envMap===null?Q.environmentRotation:C.envMapRotation,Ge===void 0&&(C.addEventListener("dispose",_e),Ge=new Map,ae.programs=Ge);let Ke=Ge.get(We);if(Ke!==void 0){if(ae.currentProgram===Ke&&ae.lightsStateVersion===Le)return Ar(C,De),Ke}else De.uniforms=xe.getUniforms(C),C.onBuild(ue,De,S),C.onBeforeCompile(De,S),Ke=xe.acquireProgram(De,We),Ge.set(We,Ke),ae.uniforms=De.uniforms;const tt=ae.uniforms;return(!C.isShaderMaterial&&!C.isRawShaderMaterial||C.clipping===!0)&&(tt.clippingPlanes=Ee.uniform),Ar(C,De),ae.needsLights=Sa(C),ae.lightsStateVersion=Le,ae.needsLights&&(tt.ambientLightColor.value=oe.state.ambient,tt.lightProbe.value=oe.state.probe,tt.directionalLights.value=oe.state.directional,tt.directionalLightShadows.value=oe.state.directionalShadow,tt.spotLights.value=oe.state.spot,tt.spotLightShadows.value=oe.state.spotShadow,tt.rectAreaLights.value=oe.state.rectArea,tt.ltc_1.value=oe.state.rectAreaLTC1,tt.ltc_2.value=oe.state.rectAreaLTC2,tt.pointLights.value=oe.state.point,tt.pointLightShadows.value=oe.state.pointShadow,tt.hemisphereLights.value=oe.state.hemi,tt.directionalShadowMap.value=oe.state.directionalShadowMap,tt.directionalShadowMatrix.value=oe.state.directionalShadowMatrix,tt.spotShadowMap.value=oe.state.spotShadowMap,tt.spotLightMatrix.value=oe.state.spotLightMatrix,tt.spotLightMap.value=oe.state.spotLightMap,tt.pointShadowMap.value=oe.state.pointShadowMap,tt.pointShadowMatrix.value=oe.state.pointShadowMatrix),ae.currentProgram=Ke,ae.uniformsList=null,Ke}function Si(C){if(C.uniformsList===null){const Q=C.currentProgram.getUniforms();C.uniformsList=Vo.seqWithValue(Q.seq,C.uniforms)}return C.uniformsList}function Ar(C,Q){const ue=Ne.get(C);ue.outputColorSpace=Q.outputColorSpace,ue.batching=Q.batching,ue.instancing=Q.instancing,ue.instancingColor=Q.instancingColor,ue.instancingMorph=Q.instancingMorph,ue.skinning=Q.skinning,ue.morphTargets=Q.morphTargets,ue.morphNormals=Q.morphNormals,ue.morphColors=Q.morphColors,ue.morphTargetsCount=Q.morphTargetsCount,ue.numClippingPlanes=Q.numClippingPlanes,ue.numIntersection=Q.numClipIntersection,ue.vertexAlphas=Q.vertexAlphas,ue.vertexTangents=Q.vertexTangents,ue.toneMapping=Q.toneMapping}function ro(C,Q,ue,ae,oe){Q.isScene!==!0&&(Q=se),qe.resetTextureUnits();const be=Q.fog,Le=ae.isMeshStandardMaterial?Q.environment:null,De=R===null?S.outputColorSpace:R.isXRRenderTarget===!0?R.texture.colorSpace:Fi,We=(ae.isMeshStandardMaterial?k:_t).get(ae.envMap||Le),Ge=ae.vertexColors===!0&&!!ue.attributes.color&&ue.attributes.color.itemSize===4,Ke=!!ue.attributes.tangent&&(!!ae.normalMap||ae.anisotropy>0),tt=!!ue.morphAttributes.position,Lt=!!ue.morphAttributes.normal,Ft=!!ue.morphAttributes.color;let Ht=es;ae.toneMapped&&(R===null||R.isXRRenderTarget===!0)&&(Ht=S.toneMapping);const Rn=ue.morphAttributes.position||ue.morphAttributes.normal||ue.morphAttributes.color,ct=Rn!==void 0?Rn.length:0,je=Ne.get(ae),yi=d.state.lights;if(I===!0&&(Z===!0||C!==b)){const yn=C===b&&ae.id===z;Ee.setState(ae,C,yn)}let xt=!1;ae.version===je.__version?(je.needsLights&&je.lightsStateVersion!==yi.state.version||je.outputColorSpace!==De||oe.isBatchedMesh&&je.batching===!1||!oe.isBatchedMesh&&je.batching===!0||oe.isInstancedMesh&&je.instancing===!1||!oe.isInstancedMesh&&je.instancing===!0||oe.isSkinnedMesh&&je.skinning===!1||!oe.isSkinnedMesh&&je.skinning===!0||oe.isInstancedMesh&&je.instancingColor===!0&&oe.instanceColor===null||oe.isInstancedMesh&&je.instancingColor===!1&&oe.instanceColor!==null||oe.isInstancedMesh&&je.instancingMorph===!0&&oe.morphTexture===null||oe.isInstancedMesh&&je.instancingMorph===!1&&oe.morphTexture!==null||je.envMap!==We||ae.fog===!0&&je.fog!==be||je.numClippingPlanes!==void 0&&(je.numClippingPlanes!==Ee.numPlanes||je.numIntersection!==Ee.numIntersection)||je.vertexAlphas!==Ge||je.vertexTangents!==Ke||je.morphTargets!==tt||je.morphNormals!==Lt||je.morphColors!==Ft||je.toneMapping!==Ht||je.morphTargetsCount!==ct)&&(xt=!0):(xt=!0,je.__version=ae.version);let jn=je.currentProgram;xt===!0&&(jn=Kn(ae,Q,oe));let Ps=!1,Vt=!1,Ls=!1;const $t=jn.getUniforms(),Hn=je.uniforms;if(Me.useProgram(jn.program)&&(Ps=!0,Vt=!0,Ls=!0),ae.id!==z&&(z=ae.id,Vt=!0),Ps||b!==C){$t.setValue(F,"projectionMatrix",C.projectionMatrix),$t.setValue(F,"viewMatrix",C.matrixWorldInverse);const yn=$t.map.cameraPosition;yn!==void 0&&yn.setValue(F,B.setFromMatrixPosition(C.matrixWorld)),Re.logarithmicDepthBuffer&&$t.setValue(F,"logDepthBufFC",2/(Math.log(C.far+1)/Math.LN2)),(ae.isMeshPhongMaterial||ae.isMeshToonMaterial||ae.isMeshLambertMaterial||ae.isMeshBasicMaterial||ae.isMeshStandardMaterial||ae.isShaderMaterial)&&$t.setValue(F,"isOrthographic",C.isOrthographicCamera===!0),b!==C&&(b=C,Vt=!0,Ls=!0)}if(oe.isSkinnedMesh){$t.setOptional(F,oe,"bindMatrix"),$t.setOptional(F,oe,"bindMatrixInverse");const yn=oe.skeleton;yn&&(yn.boneTexture===null&&yn.computeBoneTexture(),$t.setValue(F,"boneTexture",yn.boneTexture,qe))}oe.isBatchedMesh&&($t.setOptional(F,oe,"batchingTexture"),$t.setValue(F,"batchingTexture",oe._matricesTexture,qe));const Ds=ue.morphAttributes;if((Ds.position!==void 0||Ds.normal!==void 0||Ds.color!==void 0)&&ke.update(oe,ue,jn),(Vt||je.receiveShadow!==oe.receiveShadow)&&(je.receiveShadow=oe.receiveShadow,$t.setValue(F,"receiveShadow",oe.receiveShadow)),ae.isMeshGouraudMaterial&&ae.envMap!==null&&(Hn.envMap.value=We,Hn.flipEnvMap.value=We.isCubeTexture&&We.isRenderTargetTexture===!1?-1:1),ae.isMeshStandardMaterial&&ae.envMap===null&&Q.environment!==null&&(Hn.envMapIntensity.value=Q.environmentIntensity),Vt&&($t.setValue(F,"toneMappingExposure",S.toneMappingExposure),je.needsLights&&Ma(Hn,Ls),be&&ae.fog===!0&&he.refreshFogUniforms(Hn,be),he.refreshMaterialUniforms(Hn,ae,ee,ie,d.state.transmissionRenderTarget[C.id]),Vo.upload(F,Si(je),Hn,qe)),ae.isShaderMaterial&&ae.uniformsNeedUpdate===!0&&(Vo.upload(F,Si(je),Hn,qe),ae.uniformsNeedUpdate=!1),ae.isSpriteMaterial&&$t.setValue(F,"center",oe.center),$t.setValue(F,"modelViewMatrix",oe.modelViewMatrix),$t.setValue(F,"normalMatrix",oe.normalMatrix),$t.setValue(F,"modelMatrix",oe.matrixWorld),ae.isShaderMaterial||ae.isRawShaderMaterial){const yn=ae.uniformsGroups;for(let Rr=0,ya=yn.length;Rr<ya;Rr++){const Cr=yn[Rr];$e.update(Cr,jn),$e.bind(Cr,jn)}}return jn}function Ma(C,Q){C.ambientLightColor.needsUpdate=Q,C.lightProbe.needsUpdate=Q,C.directionalLights.needsUpdate=Q,C.directionalLightShadows.needsUpdate=Q,C.pointLights.needsUpdate=Q,C.pointLightShadows.needsUpdate=Q,C.spotLights.needsUpdate=Q,C.spotLightShadows.needsUpdate=Q,C.rectAreaLights.needsUpdate=Q,C.hemisphereLights.needsUpdate=Q}function Sa(C){return C.isMeshLambertMaterial||C.isMeshToonMaterial||C.isMeshPhongMaterial||C.isMeshStandardMaterial||C.isShadowMaterial||C.isShaderMaterial&&C.lights===!0}this.getActiveCubeFace=function(){return H},this.getActiveMipmapLevel=function(){return T},this.getRenderTarget=function(){return R},this.setRenderTargetTextures=function(C,Q,ue){Ne.get(C.texture).__webglTexture=Q,Ne.get(C.depthTexture).__webglTexture=ue;const ae=Ne.get(C);ae.__hasExternalTextures=!0,ae.__autoAllocateDepthBuffer=ue===void 0,ae.__autoAllocateDepthBuffer||ge.has("WEBGL_multisampled_render_to_texture")===!0&&(console.warn("THREE.WebGLRenderer: Render-to-texture extension was disabled because an external texture was provided"),ae.__useRenderToTexture=!1)},this.setRenderTargetFramebuffer=function(C,Q){const ue=Ne.get(C);ue.__webglFramebuffer=Q,ue.__useDefaultFramebuffer=Q===void 0},this.setRenderTarget=function(C,Q=0,ue=0){R=C,H=Q,T=ue;let ae=!0,oe=null,be=!1,Le=!1;if(C){const We=Ne.get(C);We.__useDefaultFramebuffer!==void 0?(Me.bindFramebuffer(F.FRAMEBUFFER,null),ae=!1):We.__webglFramebuffer===void 0?qe.setupRenderTarget(C):We.__hasExternalTextures&&qe.rebindTextures(C,Ne.get(C.texture).__webglTexture,Ne.get(C.depthTexture).__webglTexture);const Ge=C.texture;(Ge.isData3DTexture||Ge.isDataArrayTexture||Ge.isCompressedArrayTexture)&&(Le=!0);const Ke=Ne.get(C).__webglFramebuffer;C.isWebGLCubeRenderTarget?(Array.isArray(Ke[Q])?oe=Ke[Q][ue]:oe=Ke[Q],be=!0):C.samples>0&&qe.useMultisampledRTT(C)===!1?oe=Ne.get(C).__webglMultisampledFramebuffer:Array.isArray(Ke)?oe=Ke[ue]:oe=Ke,x.copy(C.viewport),N.copy(C.scissor),G=C.scissorTest}else x.copy(Y).multiplyScalar(ee).floor(),N.copy(fe).multiplyScalar(ee).floor(),G=P;if(Me.bindFramebuffer(F.FRAMEBUFFER,oe)&&ae&&Me.drawBuffers(C,oe),Me.viewport(x),Me.scissor(N),Me.setScissorTest(G),be){const We=Ne.get(C.texture);F.framebufferTexture2D(F.FRAMEBUFFER,F.COLOR_ATTACHMENT0,F.TEXTURE_CUBE_MAP_POSITIVE_X+Q,We.__webglTexture,ue)}else if(Le){const We=Ne.get(C.texture),Ge=Q||0;F.framebufferTextureLayer(F.FRAMEBUFFER,F.COLOR_ATTACHMENT0,We.__webglTexture,ue||0,Ge)}z=-1},this.readRenderTargetPixels=function(C,Q,ue,ae,oe,be,Le){if(!(C&&C.isWebGLRenderTarget)){console.error("THREE.WebGLRenderer.readRenderTargetPixels: renderTarget is not THREE.WebGLRenderTarget.");return}let De=Ne.get(C).__webglFramebuffer;if(C.isWebGLCubeRenderTarget&&Le!==void 0&&(De=De[Le]),De){Me.bindFramebuffer(F.FRAMEBUFFER,De);try{const We=C.texture,Ge=We.format,Ke=We.type;if(!Re.textureFormatReadable(Ge)){console.error("THREE.WebGLRenderer.readRenderTargetPixels: renderTarget is not in RGBA or implementation defined format.");return}if(!Re.textureTypeReadable(Ke)){console.error("THREE.WebGLRenderer.readRenderTargetPixels: renderTarget is not in UnsignedByteType or implementation defined type.");return}Q>=0&&Q<=C.width-ae&&ue>=0&&ue<=C.height-oe&&F.readPixels(Q,ue,ae,oe,Pe.convert(Ge),Pe.convert(Ke),be)}finally{const We=R!==null?Ne.get(R).__webglFramebuffer:null;Me.bindFramebuffer(F.FRAMEBUFFER,We)}}},this.copyFramebufferToTexture=function(C,Q,ue=0){const ae=Math.pow(2,-ue),oe=Math.floor(Q.image.width*ae),be=Math.floor(Q.image.height*ae);qe.setTexture2D(Q,0),F.copyTexSubImage2D(F.TEXTURE_2D,ue,0,0,C.x,C.y,oe,be),Me.unbindTexture()},this.copyTextureToTexture=function(C,Q,ue,ae=0){const oe=Q.image.width,be=Q.image.height,Le=Pe.convert(ue.format),De=Pe.convert(ue.type);qe.setTexture2D(ue,0),F.pixelStorei(F.UNPACK_FLIP_Y_WEBGL,ue.flipY),F.pixelStorei(F.UNPACK_PREMULTIPLY_ALPHA_WEBGL,ue.premultiplyAlpha),F.pixelStorei(F.UNPACK_ALIGNMENT,ue.unpackAlignment),Q.isDataTexture?F.texSubImage2D(F.TEXTURE_2D,ae,C.x,C.y,oe,be,Le,De,Q.image.data):Q.isCompressedTexture?F.compressedTexSubImage2D(F.TEXTURE_2D,ae,C.x,C.y,Q.mipmaps[0].width,Q.mipmaps[0].height,Le,Q.mipmaps[0].data):F.texSubImage2D(F.TEXTURE_2D,ae,C.x,C.y,Le,De,Q.image),ae===0&&ue.generateMipmaps&&F.generateMipmap(F.TEXTURE_2D),Me.unbindTexture()},this.copyTextureToTexture3D=function(C,Q,ue,ae,oe=0){const be=C.max.x-C.min.x,Le=C.max.y-C.min.y,De=C.max.z-C.min.z,We=Pe.convert(ae.format),Ge=Pe.convert(ae.type);let Ke;if(ae.isData3DTexture)qe.setTexture3D(ae,0),Ke=F.TEXTURE_3D;else if(ae.isDataArrayTexture||ae.isCompressedArrayTexture)qe.setTexture2DArray(ae,0),Ke=F.TEXTURE_2D_ARRAY;else{console.warn("THREE.WebGLRenderer.copyTextureToTexture3D: only supports THREE.DataTexture3D and THREE.DataTexture2DArray.");return}F.pixelStorei(F.UNPACK_FLIP_Y_WEBGL,ae.flipY),F.pixelStorei(F.UNPACK_PREMULTIPLY_ALPHA_WEBGL,ae.premultiplyAlpha),F.pixelStorei(F.UNPACK_ALIGNMENT,ae.unpackAlignment);const tt=F.getParameter(F.UNPACK_ROW_LENGTH),Lt=F.getParameter(F.UNPACK_IMAGE_HEIGHT),Ft=F.getParameter(F.UNPACK_SKIP_PIXELS),Ht=F.getParameter(F.UNPACK_SKIP_ROWS),Rn=F.getParameter(F.UNPACK_SKIP_IMAGES),ct=ue.isCompressedTexture?ue.mipmaps[oe]:ue.image;F.pixelStorei(F.UNPACK_ROW_LENGTH,ct.width),F.pixelStorei(F.UNPACK_IMAGE_HEIGHT,ct.height),F.pixelStorei(F.UNPACK_SKIP_PIXELS,C.min.x),F.pixelStorei(F.UNPACK_SKIP_ROWS,C.min.y),F.pixelStorei(F.UNPACK_SKIP_IMAGES,C.min.z),ue.isDataTexture||ue.isData3DTexture?F.texSubImage3D(Ke,oe,Q.x,Q.y,Q.z,be,Le,De,We,Ge,ct.data):ae.isCompressedArrayTexture?F.compressedTexSubImage3D(Ke,oe,Q.x,Q.y,Q.z,be,Le,De,We,ct.data):F.texSubImage3D(Ke,oe,Q.x,Q.y,Q.z,be,Le,De,We,Ge,ct),F.pixelStorei(F.UNPACK_ROW_LENGTH,tt),F.pixelStorei(F.UNPACK_IMAGE_HEIGHT,Lt),F.pixelStorei(F.UNPACK_SKIP_PIXELS,Ft),F.pixelStorei(F.UNPACK_SKIP_ROWS,Ht),F.pixelStorei(F.UNPACK_SKIP_IMAGES,Rn),oe===0&&ae.generateMipmaps&&F.generateMipmap(Ke),Me.unbindTexture()},this.initTexture=function(C){C.isCubeTexture?qe.setTextureCube(C,0):C.isData3DTexture?qe.setTexture3D(C,0):C.isDataArrayTexture||C.isCompressedArrayTexture?qe.setTexture2DArray(C,0):qe.setTexture2D(C,0),Me.unbindTexture()},this.resetState=function(){H=0,T=0,R=null,Me.reset(),Ve.reset()},typeof __THREE_DEVTOOLS__<"u"&&__THREE_DEVTOOLS__.dispatchEvent(new CustomEvent("observe",{detail:this}))}get coordinateSystem(){return Li}get outputColorSpace(){return this._outputColorSpace}set outputColorSpace(e){this._outputColorSpace=e;const t=this.getContext();t.drawingBufferColorSpace=e===Jl?"display-p3":"srgb",t.unpackColorSpace=vt.workingColorSpace===aa?"display-p3":"srgb"}get useLegacyLights(){return console.warn("THREE.WebGLRenderer: The property .useLegacyLights has been deprecated. Migrate your lighting according to the following guide: https://discourse.threejs.org/t/updates-to-lighting-in-three-js-r155/53733."),this._useLegacyLights}set useLegacyLights(e){console.warn("THREE.WebGLRenderer: The property .useLegacyLights has been deprecated. Migrate your lighting according to the following guide: https://discourse.threejs.org/t/updates-to-lighting-in-three-js-r155/53733."),this._useLegacyLights=e}}class Zx extends On{constructor(){super(),this.isScene=!0,this.type="Scene",this.background=null,this.environment=null,this.fog=null,this.backgroundBlurriness=0,this.backgroundIntensity=1,this.backgroundRotation=new Ni,this.environmentIntensity=1,this.environmentRotation=new Ni,this.overrideMaterial=null,typeof __THREE_DEVTOOLS__<"u"&&__THREE_DEVTOOLS__.dispatchEvent(new CustomEvent("observe",{detail:this}))}copy(e,t){return super.copy(e,t),e.background!==null&&(this.background=e.background.clone()),e.environment!==null&&(this.environment=e.environment.clone()),e.fog!==null&&(this.fog=e.fog.clone()),this.backgroundBlurriness=e.backgroundBlurriness,this.backgroundIntensity=e.backgroundIntensity,this.backgroundRotation.copy(e.backgroundRotation),this.environmentIntensity=e.environmentIntensity,this.environmentRotation.copy(e.environmentRotation),e.overrideMaterial!==null&&(this.overrideMaterial=e.overrideMaterial.clone()),this.matrixAutoUpdate=e.matrixAutoUpdate,this}toJSON(e){const t=super.toJSON(e);return this.fog!==null&&(t.object.fog=this.fog.toJSON()),this.backgroundBlurriness>0&&(t.object.backgroundBlurriness=this.backgroundBlurriness),this.backgroundIntensity!==1&&(t.object.backgroundIntensity=this.backgroundIntensity),t.object.backgroundRotation=this.backgroundRotation.toArray(),this.environmentIntensity!==1&&(t.object.environmentIntensity=this.environmentIntensity),t.object.environmentRotation=this.environmentRotation.toArray(),t}}class pl extends Fn{constructor(e,t,n,s=1){super(e,t,n),this.isInstancedBufferAttribute=!0,this.meshPerAttribute=s}copy(e){return super.copy(e),this.meshPerAttribute=e.meshPerAttribute,this}toJSON(){const e=super.toJSON();return e.meshPerAttribute=this.meshPerAttribute,e.isInstancedBufferAttribute=!0,e}}class ki{constructor(){this.type="Curve",this.arcLengthDivisions=200}getPoint(){return console.warn("THREE.Curve: .getPoint() not implemented."),null}getPointAt(e,t){const n=this.getUtoTmapping(e);return this.getPoint(n,t)}getPoints(e=5){const t=[];for(let n=0;n<=e;n++)t.push(this.getPoint(n/e));return t}getSpacedPoints(e=5){const t=[];for(let n=0;n<=e;n++)t.push(this.getPointAt(n/e));return t}getLength(){const e=this.getLengths();return e[e.length-1]}getLengths(e=this.arcLengthDivisions){if(this.cacheArcLengths&&this.cacheArcLengths.length===e+1&&!this.needsUpdate)return this.cacheArcLengths;this.needsUpdate=!1;const t=[];let n,s=this.getPoint(0),r=0;t.push(0);for(let o=1;o<=e;o++)n=this.getPoint(o/e),r+=n.distanceTo(s),t.push(r),s=n;return this.cacheArcLengths=t,t}updateArcLengths(){this.needsUpdate=!0,this.getLengths()}getUtoTmapping(e,t){const n=this.getLengths();let s=0;const r=n.length;let o;t?o=t:o=e*n[r-1];let a=0,l=r-1,c;for(;a<=l;)if(s=Math.floor(a+(l-a)/2),c=n[s]-o,c<0)a=s+1;else if(c>0)l=s-1;else{l=s;break}if(s=l,n[s]===o)return s/(r-1);const u=n[s],f=n[s+1]-u,m=(o-u)/f;return(s+m)/(r-1)}getTangent(e,t){let s=e-1e-4,r=e+1e-4;s<0&&(s=0),r>1&&(r=1);const o=this.getPoint(s),a=this.getPoint(r),l=t||(o.isVector2?new ze:new $);return l.copy(a).sub(o).normalize(),l}getTangentAt(e,t){const n=this.getUtoTmapping(e);return this.getTangent(n,t)}computeFrenetFrames(e,t){const n=new $,s=[],r=[],o=[],a=new $,l=new Bt;for(let m=0;m<=e;m++){const _=m/e;s[m]=this.getTangentAt(_,new $)}r[0]=new $,o[0]=new $;let c=Number.MAX_VALUE;const u=Math.abs(s[0].x),h=Math.abs(s[0].y),f=Math.abs(s[0].z);u<=c&&(c=u,n.set(1,0,0)),h<=c&&(c=h,n.set(0,1,0)),f<=c&&n.set(0,0,1),a.crossVectors(s[0],n).normalize(),r[0].crossVectors(s[0],a),o[0].crossVectors(s[0],r[0]);for(let m=1;m<=e;m++){if(r[m]=r[m-1].clone(),o[m]=o[m-1].clone(),a.crossVectors(s[m-1],s[m]),a.length()>Number.EPSILON){a.normalize();const _=Math.acos(ln(s[m-1].dot(s[m]),-1,1));r[m].applyMatrix4(l.makeRotationAxis(a,_))}o[m].crossVectors(s[m],r[m])}if(t===!0){let m=Math.acos(ln(r[0].dot(r[e]),-1,1));m/=e,s[0].dot(a.crossVectors(r[0],r[e]))>0&&(m=-m);for(let _=1;_<=e;_++)r[_].applyMatrix4(l.makeRotationAxis(s[_],m*_)),o[_].crossVectors(s[_],r[_])}return{tangents:s,normals:r,binormals:o}}clone(){return new this.constructor().copy(this)}copy(e){return this.arcLengthDivisions=e.arcLengthDivisions,this}toJSON(){const e={metadata:{version:4.6,type:"Curve",generator:"Curve.toJSON"}};return e.arcLengthDivisions=this.arcLengthDivisions,e.type=this.type,e}fromJSON(e){return this.arcLengthDivisions=e.arcLengthDivisions,this}}class sd extends ki{constructor(e=0,t=0,n=1,s=1,r=0,o=Math.PI*2,a=!1,l=0){super(),this.isEllipseCurve=!0,this.type="EllipseCurve",this.aX=e,this.aY=t,this.xRadius=n,this.yRadius=s,this.aStartAngle=r,this.aEndAngle=o,this.aClockwise=a,this.aRotation=l}getPoint(e,t=new ze){const n=t,s=Math.PI*2;let r=this.aEndAngle-this.aStartAngle;const o=Math.abs(r)<Number.EPSILON;for(;r<0;)r+=s;for(;r>s;)r-=s;r<Number.EPSILON&&(o?r=0:r=s),this.aClockwise===!0&&!o&&(r===s?r=-s:r=r-s);const a=this.aStartAngle+e*r;let l=this.aX+this.xRadius*Math.cos(a),c=this.aY+this.yRadius*Math.sin(a);if(this.aRotation!==0){const u=Math.cos(this.aRotation),h=Math.sin(this.aRotation),f=l-this.aX,m=c-this.aY;l=f*u-m*h+this.aX,c=f*h+m*u+this.aY}return n.set(l,c)}copy(e){return super.copy(e),this.aX=e.aX,this.aY=e.aY,this.xRadius=e.xRadius,this.yRadius=e.yRadius,this.aStartAngle=e.aStartAngle,this.aEndAngle=e.aEndAngle,this.aClockwise=e.aClockwise,this.aRotation=e.aRotation,this}toJSON(){const e=super.toJSON();return e.aX=this.aX,e.aY=this.aY,e.xRadius=this.xRadius,e.yRadius=this.yRadius,e.aStartAngle=this.aStartAngle,e.aEndAngle=this.aEndAngle,e.aClockwise=this.aClockwise,e.aRotation=this.aRotation,e}fromJSON(e){return super.fromJSON(e),this.aX=e.aX,this.aY=e.aY,this.xRadius=e.xRadius,this.yRadius=e.yRadius,this.aStartAngle=e.aStartAngle,this.aEndAngle=e.aEndAngle,this.aClockwise=e.aClockwise,this.aRotation=e.aRotation,this}}class Jx extends sd{constructor(e,t,n,s,r,o){super(e,t,n,n,s,r,o),this.isArcCurve=!0,this.type="ArcCurve"}}function ic(){let i=0,e=0,t=0,n=0;function s(r,o,a,l){i=r,e=a,t=-3*r+3*o-2*a-l,n=2*r-2*o+a+l}return{initCatmullRom:function(r,o,a,l,c){s(o,a,c*(a-r),c*(l-o))},initNonuniformCatmullRom:function(r,o,a,l,c,u,h){let f=(o-r)/c-(a-r)/(c+u)+(a-o)/u,m=(a-o)/u-(l-o)/(u+h)+(l-a)/h;f*=u,m*=u,s(o,a,f,m)},calc:function(r){const o=r*r,a=o*r;return i+e*r+t*o+n*a}}}const No=new $,ml=new ic,gl=new ic,_l=new ic;class Qx extends ki{constructor(e=[],t=!1,n="centripetal",s=.5){super(),this.isCatmullRomCurve3=!0,this.type="CatmullRomCurve3",this.points=e,this.closed=t,this.curveType=n,this.tension=s}getPoint(e,t=new $){const n=t,s=this.points,r=s.length,o=(r-(this.closed?0:1))*e;let a=Math.floor(o),l=o-a;this.closed?a+=a>0?0:(Math.floor(Math.abs(a)/r)+1)*r:l===0&&a===r-1&&(a=r-2,l=1);let c,u;this.closed||a>0?c=s[(a-1)%r]:(No.subVectors(s[0],s[1]).add(s[0]),c=No);const h=s[a%r],f=s[(a+1)%r];if(this.closed||a+2<r?u=s[(a+2)%r]:(No.subVectors(s[r-1],s[r-2]).add(s[r-1]),u=No),this.curveType==="centripetal"||this.curveType==="chordal"){const m=this.curveType==="chordal"?.5:.25;let _=Math.pow(c.distanceToSquared(h),m),v=Math.pow(h.distanceToSquared(f),m),d=Math.pow(f.distanceToSquared(u),m);v<1e-4&&(v=1),_<1e-4&&(_=v),d<1e-4&&(d=v),ml.initNonuniformCatmullRom(c.x,h.x,f.x,u.x,_,v,d),gl.initNonuniformCatmullRom(c.y,h.y,f.y,u.y,_,v,d),_l.initNonuniformCatmullRom(c.z,h.z,f.z,u.z,_,v,d)}else this.curveType==="catmullrom"&&(ml.initCatmullRom(c.x,h.x,f.x,u.x,this.tension),gl.initCatmullRom(c.y,h.y,f.y,u.y,this.tension),_l.initCatmullRom(c.z,h.z,f.z,u.z,this.tension));return n.set(ml.calc(l),gl.calc(l),_l.calc(l)),n}copy(e){super.copy(e),this.points=[];for(let t=0,n=e.points.length;t<n;t++){const s=e.points[t];this.points.push(s.clone())}return this.closed=e.closed,this.curveType=e.curveType,this.tension=e.tension,this}toJSON(){const e=super.toJSON();e.points=[];for(let t=0,n=this.points.length;t<n;t++){const s=this.points[t];e.points.push(s.toArray())}return e.closed=this.closed,e.curveType=this.curveType,e.tension=this.tension,e}fromJSON(e){super.fromJSON(e),this.points=[];for(let t=0,n=e.points.length;t<n;t++){const s=e.points[t];this.points.push(new $().fromArray(s))}return this.closed=e.closed,this.curveType=e.curveType,this.tension=e.tension,this}}function hh(i,e,t,n,s){const r=(n-e)*.5,o=(s-t)*.5,a=i*i,l=i*a;return(2*t-2*n+r+o)*l+(-3*t+3*n-2*r-o)*a+r*i+t}function eM(i,e){const t=1-i;return t*t*e}function tM(i,e){return 2*(1-i)*i*e}function nM(i,e){return i*i*e}function Yr(i,e,t,n){return eM(i,e)+tM(i,t)+nM(i,n)}function iM(i,e){const t=1-i;return t*t*t*e}function sM(i,e){const t=1-i;return 3*t*t*i*e}function rM(i,e){return 3*(1-i)*i*i*e}function oM(i,e){return i*i*i*e}function qr(i,e,t,n,s){return iM(i,e)+sM(i,t)+rM(i,n)+oM(i,s)}class aM extends ki{constructor(e=new ze,t=new ze,n=new ze,s=new ze){super(),this.isCubicBezierCurve=!0,this.type="CubicBezierCurve",this.v0=e,this.v1=t,this.v2=n,this.v3=s}getPoint(e,t=new ze){const n=t,s=this.v0,r=this.v1,o=this.v2,a=this.v3;return n.set(qr(e,s.x,r.x,o.x,a.x),qr(e,s.y,r.y,o.y,a.y)),n}copy(e){return super.copy(e),this.v0.copy(e.v0),this.v1.copy(e.v1),this.v2.copy(e.v2),this.v3.copy(e.v3),this}toJSON(){const e=super.toJSON();return e.v0=this.v0.toArray(),e.v1=this.v1.toArray(),e.v2=this.v2.toArray(),e.v3=this.v3.toArray(),e}fromJSON(e){return super.fromJSON(e),this.v0.fromArray(e.v0),this.v1.fromArray(e.v1),this.v2.fromArray(e.v2),this.v3.fromArray(e.v3),this}}class lM extends ki{constructor(e=new $,t=new $,n=new $,s=new $){super(),this.isCubicBezierCurve3=!0,this.type="CubicBezierCurve3",this.v0=e,this.v1=t,this.v2=n,this.v3=s}getPoint(e,t=new $){const n=t,s=this.v0,r=this.v1,o=this.v2,a=this.v3;return n.set(qr(e,s.x,r.x,o.x,a.x),qr(e,s.y,r.y,o.y,a.y),qr(e,s.z,r.z,o.z,a.z)),n}copy(e){return super.copy(e),this.v0.copy(e.v0),this.v1.copy(e.v1),this.v2.copy(e.v2),this.v3.copy(e.v3),this}toJSON(){const e=super.toJSON();return e.v0=this.v0.toArray(),e.v1=this.v1.toArray(),e.v2=this.v2.toArray(),e.v3=this.v3.toArray(),e}fromJSON(e){return super.fromJSON(e),this.v0.fromArray(e.v0),this.v1.fromArray(e.v1),this.v2.fromArray(e.v2),this.v3.fromArray(e.v3),this}}class cM extends ki{constructor(e=new ze,t=new ze){super(),this.isLineCurve=!0,this.type="LineCurve",this.v1=e,this.v2=t}getPoint(e,t=new ze){const n=t;return e===1?n.copy(this.v2):(n.copy(this.v2).sub(this.v1),n.multiplyScalar(e).add(this.v1)),n}getPointAt(e,t){return this.getPoint(e,t)}getTangent(e,t=new ze){return t.subVectors(this.v2,this.v1).normalize()}getTangentAt(e,t){return this.getTangent(e,t)}copy(e){return super.copy(e),this.v1.copy(e.v1),this.v2.copy(e.v2),this}toJSON(){const e=super.toJSON();return e.v1=this.v1.toArray(),e.v2=this.v2.toArray(),e}fromJSON(e){return super.fromJSON(e),this.v1.fromArray(e.v1),this.v2.fromArray(e.v2),this}}class uM extends ki{constructor(e=new $,t=new $){super(),this.isLineCurve3=!0,this.type="LineCurve3",this.v1=e,this.v2=t}getPoint(e,t=new $){const n=t;return e===1?n.copy(this.v2):(n.copy(this.v2).sub(this.v1),n.multiplyScalar(e).add(this.v1)),n}getPointAt(e,t){return this.getPoint(e,t)}getTangent(e,t=new $){return t.subVectors(this.v2,this.v1).normalize()}getTangentAt(e,t){return this.getTangent(e,t)}copy(e){return super.copy(e),this.v1.copy(e.v1),this.v2.copy(e.v2),this}toJSON(){const e=super.toJSON();return e.v1=this.v1.toArray(),e.v2=this.v2.toArray(),e}fromJSON(e){return super.fromJSON(e),this.v1.fromArray(e.v1),this.v2.fromArray(e.v2),this}}class hM extends ki{constructor(e=new ze,t=new ze,n=new ze){super(),this.isQuadraticBezierCurve=!0,this.type="QuadraticBezierCurve",this.v0=e,this.v1=t,this.v2=n}getPoint(e,t=new ze){const n=t,s=this.v0,r=this.v1,o=this.v2;return n.set(Yr(e,s.x,r.x,o.x),Yr(e,s.y,r.y,o.y)),n}copy(e){return super.copy(e),this.v0.copy(e.v0),this.v1.copy(e.v1),this.v2.copy(e.v2),this}toJSON(){const e=super.toJSON();return e.v0=this.v0.toArray(),e.v1=this.v1.toArray(),e.v2=this.v2.toArray(),e}fromJSON(e){return super.fromJSON(e),this.v0.fromArray(e.v0),this.v1.fromArray(e.v1),this.v2.fromArray(e.v2),this}}class sc extends ki{constructor(e=new $,t=new $,n=new $){super(),this.isQuadraticBezierCurve3=!0,this.type="QuadraticBezierCurve3",this.v0=e,this.v1=t,this.v2=n}getPoint(e,t=new $){const n=t,s=this.v0,r=this.v1,o=this.v2;return n.set(Yr(e,s.x,r.x,o.x),Yr(e,s.y,r.y,o.y),Yr(e,s.z,r.z,o.z)),n}copy(e){return super.copy(e),this.v0.copy(e.v0),this.v1.copy(e.v1),this.v2.copy(e.v2),this}toJSON(){const e=super.toJSON();return e.v0=this.v0.toArray(),e.v1=this.v1.toArray(),e.v2=this.v2.toArray(),e}fromJSON(e){return super.fromJSON(e),this.v0.fromArray(e.v0),this.v1.fromArray(e.v1),this.v2.fromArray(e.v2),this}}class fM extends ki{constructor(e=[]){super(),this.isSplineCurve=!0,this.type="SplineCurve",this.points=e}getPoint(e,t=new ze){const n=t,s=this.points,r=(s.length-1)*e,o=Math.floor(r),a=r-o,l=s[o===0?o:o-1],c=s[o],u=s[o>s.length-2?s.length-1:o+1],h=s[o>s.length-3?s.length-1:o+2];return n.set(hh(a,l.x,c.x,u.x,h.x),hh(a,l.y,c.y,u.y,h.y)),n}copy(e){super.copy(e),this.points=[];for(let t=0,n=e.points.length;t<n;t++){const s=e.points[t];this.points.push(s.clone())}return this}toJSON(){const e=super.toJSON();e.points=[];for(let t=0,n=this.points.length;t<n;t++){const s=this.points[t];e.points.push(s.toArray())}return e}fromJSON(e){super.fromJSON(e),this.points=[];for(let t=0,n=e.points.length;t<n;t++){const s=e.points[t];this.points.push(new ze().fromArray(s))}return this}}var dM=Object.freeze({__proto__:null,ArcCurve:Jx,CatmullRomCurve3:Qx,CubicBezierCurve:aM,CubicBezierCurve3:lM,EllipseCurve:sd,LineCurve:cM,LineCurve3:uM,QuadraticBezierCurve:hM,QuadraticBezierCurve3:sc,SplineCurve:fM});class ha extends Mi{constructor(e=1,t=1,n=1,s=32,r=1,o=!1,a=0,l=Math.PI*2){super(),this.type="CylinderGeometry",this.parameters={radiusTop:e,radiusBottom:t,height:n,radialSegments:s,heightSegments:r,openEnded:o,thetaStart:a,thetaLength:l};const c=this;s=Math.floor(s),r=Math.floor(r);const u=[],h=[],f=[],m=[];let _=0;const v=[],d=n/2;let p=0;y(),o===!1&&(e>0&&S(!0),t>0&&S(!1)),this.setIndex(u),this.setAttribute("position",new kn(h,3)),this.setAttribute("normal",new kn(f,3)),this.setAttribute("uv",new kn(m,2));function y(){const w=new $,H=new $;let T=0;const R=(t-e)/n;for(let z=0;z<=r;z++){const b=[],x=z/r,N=x*(t-e)+e;for(let G=0;G<=s;G++){const U=G/s,j=U*l+a,X=Math.sin(j),ie=Math.cos(j);H.x=N*X,H.y=-x*n+d,H.z=N*ie,h.push(H.x,H.y,H.z),w.set(X,R,ie).normalize(),f.push(w.x,w.y,w.z),m.push(U,1-x),b.push(_++)}v.push(b)}for(let z=0;z<s;z++)for(let b=0;b<r;b++){const x=v[b][z],N=v[b+1][z],G=v[b+1][z+1],U=v[b][z+1];u.push(x,N,U),u.push(N,G,U),T+=6}c.addGroup(p,T,0),p+=T}function S(w){const H=_,T=new ze,R=new $;let z=0;const b=w===!0?e:t,x=w===!0?1:-1;for(let G=1;G<=s;G++)h.push(0,d*x,0),f.push(0,x,0),m.push(.5,.5),_++;const N=_;for(let G=0;G<=s;G++){const j=G/s*l+a,X=Math.cos(j),ie=Math.sin(j);R.x=b*ie,R.y=d*x,R.z=b*X,h.push(R.x,R.y,R.z),f.push(0,x,0),T.x=X*.5+.5,T.y=ie*.5*x+.5,m.push(T.x,T.y),_++}for(let G=0;G<s;G++){const U=H+G,j=N+G;w===!0?u.push(j,j+1,U):u.push(j+1,j,U),z+=3}c.addGroup(p,z,w===!0?1:2),p+=z}}copy(e){return super.copy(e),this.parameters=Object.assign({},e.parameters),this}static fromJSON(e){return new ha(e.radiusTop,e.radiusBottom,e.height,e.radialSegments,e.heightSegments,e.openEnded,e.thetaStart,e.thetaLength)}}class rc extends ha{constructor(e=1,t=1,n=32,s=1,r=!1,o=0,a=Math.PI*2){super(0,e,t,n,s,r,o,a),this.type="ConeGeometry",this.parameters={radius:e,height:t,radialSegments:n,heightSegments:s,openEnded:r,thetaStart:o,thetaLength:a}}static fromJSON(e){return new rc(e.radius,e.height,e.radialSegments,e.heightSegments,e.openEnded,e.thetaStart,e.thetaLength)}}class oc extends Mi{constructor(e=new sc(new $(-1,-1,0),new $(-1,1,0),new $(1,1,0)),t=64,n=1,s=8,r=!1){super(),this.type="TubeGeometry",this.parameters={path:e,tubularSegments:t,radius:n,radialSegments:s,closed:r};const o=e.computeFrenetFrames(t,r);this.tangents=o.tangents,this.normals=o.normals,this.binormals=o.binormals;const a=new $,l=new $,c=new ze;let u=new $;const h=[],f=[],m=[],_=[];v(),this.setIndex(_),this.setAttribute("position",new kn(h,3)),this.setAttribute("normal",new kn(f,3)),this.setAttribute("uv",new kn(m,2));function v(){for(let S=0;S<t;S++)d(S);d(r===!1?t:0),y(),p()}function d(S){u=e.getPointAt(S/t,u);const w=o.normals[S],H=o.binormals[S];for(let T=0;T<=s;T++){const R=T/s*Math.PI*2,z=Math.sin(R),b=-Math.cos(R);l.x=b*w.x+z*H.x,l.y=b*w.y+z*H.y,l.z=b*w.z+z*H.z,l.normalize(),f.push(l.x,l.y,l.z),a.x=u.x+n*l.x,a.y=u.y+n*l.y,a.z=u.z+n*l.z,h.push(a.x,a.y,a.z)}}function p(){for(let S=1;S<=t;S++)for(let w=1;w<=s;w++){const H=(s+1)*(S-1)+(w-1),T=(s+1)*S+(w-1),R=(s+1)*S+w,z=(s+1)*(S-1)+w;_.push(H,T,z),_.push(T,R,z)}}function y(){for(let S=0;S<=t;S++)for(let w=0;w<=s;w++)c.x=S/t,c.y=w/s,m.push(c.x,c.y)}}copy(e){return super.copy(e),this.parameters=Object.assign({},e.parameters),this}toJSON(){const e=super.toJSON();return e.path=this.parameters.path.toJSON(),e}static fromJSON(e){return new oc(new dM[e.path.type]().fromJSON(e.path),e.tubularSegments,e.radius,e.radialSegments,e.closed)}}class pM extends Mi{constructor(){super(),this.isInstancedBufferGeometry=!0,this.type="InstancedBufferGeometry",this.instanceCount=1/0}copy(e){return super.copy(e),this.instanceCount=e.instanceCount,this}toJSON(){const e=super.toJSON();return e.instanceCount=this.instanceCount,e.isInstancedBufferGeometry=!0,e}}const fh=new Bt;class mM{constructor(e,t,n=0,s=1/0){this.ray=new ec(e,t),this.near=n,this.far=s,this.camera=null,this.layers=new tc,this.params={Mesh:{},Line:{threshold:1},LOD:{},Points:{threshold:1},Sprite:{}}}set(e,t){this.ray.set(e,t)}setFromCamera(e,t){t.isPerspectiveCamera?(this.ray.origin.setFromMatrixPosition(t.matrixWorld),this.ray.direction.set(e.x,e.y,.5).unproject(t).sub(this.ray.origin).normalize(),this.camera=t):t.isOrthographicCamera?(this.ray.origin.set(e.x,e.y,(t.near+t.far)/(t.near-t.far)).unproject(t),this.ray.direction.set(0,0,-1).transformDirection(t.matrixWorld),this.camera=t):console.error("THREE.Raycaster: Unsupported camera type: "+t.type)}setFromXRController(e){return fh.identity().extractRotation(e.matrixWorld),this.ray.origin.setFromMatrixPosition(e.matrixWorld),this.ray.direction.set(0,0,-1).applyMatrix4(fh),this}intersectObject(e,t=!0,n=[]){return kl(e,this,n,t),n.sort(dh),n}intersectObjects(e,t=!0,n=[]){for(let s=0,r=e.length;s<r;s++)kl(e[s],this,n,t);return n.sort(dh),n}}function dh(i,e){return i.distance-e.distance}function kl(i,e,t,n){if(i.layers.test(e.layers)&&i.raycast(e,t),n===!0){const s=i.children;for(let r=0,o=s.length;r<o;r++)kl(s[r],e,t,!0)}}class ph{constructor(e=1,t=0,n=0){return this.radius=e,this.phi=t,this.theta=n,this}set(e,t,n){return this.radius=e,this.phi=t,this.theta=n,this}copy(e){return this.radius=e.radius,this.phi=e.phi,this.theta=e.theta,this}makeSafe(){return this.phi=Math.max(1e-6,Math.min(Math.PI-1e-6,this.phi)),this}setFromVector3(e){return this.setFromCartesianCoords(e.x,e.y,e.z)}setFromCartesianCoords(e,t,n){return this.radius=Math.sqrt(e*e+t*t+n*n),this.radius===0?(this.theta=0,this.phi=0):(this.theta=Math.atan2(e,n),this.phi=Math.acos(ln(t/this.radius,-1,1))),this}clone(){return new this.constructor().copy(this)}}typeof __THREE_DEVTOOLS__<"u"&&__THREE_DEVTOOLS__.dispatchEvent(new CustomEvent("register",{detail:{revision:Zl}}));typeof window<"u"&&(window.__THREE__?console.warn("WARNING: Multiple instances of Three.js being imported."):window.__THREE__=Zl);const mh={type:"change"},vl={type:"start"},gh={type:"end"},Oo=new ec,_h=new Ki,gM=Math.cos(70*zm.DEG2RAD);class _M extends Rs{constructor(e,t){super(),this.object=e,this.domElement=t,this.domElement.style.touchAction="none",this.enabled=!0,this.target=new $,this.cursor=new $,this.minDistance=0,this.maxDistance=1/0,this.minZoom=0,this.maxZoom=1/0,this.minTargetRadius=0,this.maxTargetRadius=1/0,this.minPolarAngle=0,this.maxPolarAngle=Math.PI,this.minAzimuthAngle=-1/0,this.maxAzimuthAngle=1/0,this.enableDamping=!1,this.dampingFactor=.05,this.enableZoom=!0,this.zoomSpeed=1,this.enableRotate=!0,this.rotateSpeed=1,this.enablePan=!0,this.panSpeed=1,this.screenSpacePanning=!0,this.keyPanSpeed=7,this.zoomToCursor=!1,this.autoRotate=!1,this.autoRotateSpeed=2,this.keys={LEFT:"ArrowLeft",UP:"ArrowUp",RIGHT:"ArrowRight",BOTTOM:"ArrowDown"},this.mouseButtons={LEFT:Vs.ROTATE,MIDDLE:Vs.DOLLY,RIGHT:Vs.PAN},this.touches={ONE:Gs.ROTATE,TWO:Gs.DOLLY_PAN},this.target0=this.target.clone(),this.position0=this.object.position.clone(),this.zoom0=this.object.zoom,this._domElementKeyEvents=null,this.getPolarAngle=function(){return a.phi},this.getAzimuthalAngle=function(){return a.theta},this.getDistance=function(){return this.object.position.distanceTo(this.target)},this.listenToKeyEvents=function(M){M.addEventListener("keydown",Xe),this._domElementKeyEvents=M},this.stopListenToKeyEvents=function(){this._domElementKeyEvents.removeEventListener("keydown",Xe),this._domElementKeyEvents=null},this.saveState=function(){n.target0.copy(n.target),n.position0.copy(n.object.position),n.zoom0=n.object.zoom},this.reset=function(){n.target.copy(n.target0),n.object.position.copy(n.position0),n.object.zoom=n.zoom0,n.object.updateProjectionMatrix(),n.dispatchEvent(mh),n.update(),r=s.NONE},this.update=function(){const M=new $,J=new Ts().setFromUnitVectors(e.up,new $(0,1,0)),re=J.clone().invert(),_e=new $,Ae=new Ts,et=new $,it=2*Math.PI;return function(zt=null){const lt=n.object.position;M.copy(lt).sub(n.target),M.applyQuaternion(J),a.setFromVector3(M),n.autoRotate&&r===s.NONE&&G(x(zt)),n.enableDamping?(a.theta+=l.theta*n.dampingFactor,a.phi+=l.phi*n.dampingFactor):(a.theta+=l.theta,a.phi+=l.phi);let It=n.minAzimuthAngle,ut=n.maxAzimuthAngle;isFinite(It)&&isFinite(ut)&&(It<-Math.PI?It+=it:It>Math.PI&&(It-=it),ut<-Math.PI?ut+=it:ut>Math.PI&&(ut-=it),It<=ut?a.theta=Math.max(It,Math.min(ut,a.theta)):a.theta=a.theta>(It+ut)/2?Math.max(It,a.theta):Math.min(ut,a.theta)),a.phi=Math.max(n.minPolarAngle,Math.min(n.maxPolarAngle,a.phi)),a.makeSafe(),n.enableDamping===!0?n.target.addScaledVector(u,n.dampingFactor):n.target.add(u),n.target.sub(n.cursor),n.target.clampLength(n.minTargetRadius,n.maxTargetRadius),n.target.add(n.cursor);let wt=!1;if(n.zoomToCursor&&T||n.object.isOrthographicCamera)a.radius=Y(a.radius);else{const Ut=a.radius;a.radius=Y(a.radius*c),wt=Ut!=a.radius}if(M.setFromSpherical(a),M.applyQuaternion(re),lt.copy(n.target).add(M),n.object.lookAt(n.target),n.enableDamping===!0?(l.theta*=1-n.dampingFactor,l.phi*=1-n.dampingFactor,u.multiplyScalar(1-n.dampingFactor)):(l.set(0,0,0),u.set(0,0,0)),n.zoomToCursor&&T){let Ut=null;if(n.object.isPerspectiveCamera){const mn=M.length();Ut=Y(mn*c);const hn=mn-Ut;n.object.position.addScaledVector(w,hn),n.object.updateMatrixWorld(),wt=!!hn}else if(n.object.isOrthographicCamera){const mn=new $(H.x,H.y,0);mn.unproject(n.object);const hn=n.object.zoom;n.object.zoom=Math.max(n.minZoom,Math.min(n.maxZoom,n.object.zoom/c)),n.object.updateProjectionMatrix(),wt=hn!==n.object.zoom;const Jt=new $(H.x,H.y,0);Jt.unproject(n.object),n.object.position.sub(Jt).add(mn),n.object.updateMatrixWorld(),Ut=M.length()}else console.warn("WARNING: OrbitControls.js encountered an unknown camera type - zoom to cursor disabled."),n.zoomToCursor=!1;Ut!==null&&(this.screenSpacePanning?n.target.set(0,0,-1).transformDirection(n.object.matrix).multiplyScalar(Ut).add(n.object.position):(Oo.origin.copy(n.object.position),Oo.direction.set(0,0,-1).transformDirection(n.object.matrix),Math.abs(n.object.up.dot(Oo.direction))<gM?e.lookAt(n.target):(_h.setFromNormalAndCoplanarPoint(n.object.up,n.target),Oo.intersectPlane(_h,n.target))))}else if(n.object.isOrthographicCamera){const Ut=n.object.zoom;n.object.zoom=Math.max(n.minZoom,Math.min(n.maxZoom,n.object.zoom/c)),Ut!==n.object.zoom&&(n.object.updateProjectionMatrix(),wt=!0)}return c=1,T=!1,wt||_e.distanceToSquared(n.object.position)>o||8*(1-Ae.dot(n.object.quaternion))>o||et.distanceToSquared(n.target)>o?(n.dispatchEvent(mh),_e.copy(n.object.position),Ae.copy(n.object.quaternion),et.copy(n.target),!0):!1}}(),this.dispose=function(){n.domElement.removeEventListener("contextmenu",Qe),n.domElement.removeEventListener("pointerdown",k),n.domElement.removeEventListener("pointercancel",ce),n.domElement.removeEventListener("wheel",he),n.domElement.removeEventListener("pointermove",A),n.domElement.removeEventListener("pointerup",ce),n.domElement.getRootNode().removeEventListener("keydown",Se,{capture:!0}),n._domElementKeyEvents!==null&&(n._domElementKeyEvents.removeEventListener("keydown",Xe),n._domElementKeyEvents=null)};const n=this,s={NONE:-1,ROTATE:0,DOLLY:1,PAN:2,TOUCH_ROTATE:3,TOUCH_PAN:4,TOUCH_DOLLY_PAN:5,TOUCH_DOLLY_ROTATE:6};let r=s.NONE;const o=1e-6,a=new ph,l=new ph;let c=1;const u=new $,h=new ze,f=new ze,m=new ze,_=new ze,v=new ze,d=new ze,p=new ze,y=new ze,S=new ze,w=new $,H=new ze;let T=!1;const R=[],z={};let b=!1;function x(M){return M!==null?2*Math.PI/60*n.autoRotateSpeed*M:2*Math.PI/60/60*n.autoRotateSpeed}function N(M){const J=Math.abs(M*.01);return Math.pow(.95,n.zoomSpeed*J)}function G(M){l.theta-=M}function U(M){l.phi-=M}const j=function(){const M=new $;return function(re,_e){M.setFromMatrixColumn(_e,0),M.multiplyScalar(-re),u.add(M)}}(),X=function(){const M=new $;return function(re,_e){n.screenSpacePanning===!0?M.setFromMatrixColumn(_e,1):(M.setFromMatrixColumn(_e,0),M.crossVectors(n.object.up,M)),M.multiplyScalar(re),u.add(M)}}(),ie=function(){const M=new $;return function(re,_e){const Ae=n.domElement;if(n.object.isPerspectiveCamera){const et=n.object.position;M.copy(et).sub(n.target);let it=M.length();it*=Math.tan(n.object.fov/2*Math.PI/180),j(2*re*it/Ae.clientHeight,n.object.matrix),X(2*_e*it/Ae.clientHeight,n.object.matrix)}else n.object.isOrthographicCamera?(j(re*(n.object.right-n.object.left)/n.object.zoom/Ae.clientWidth,n.object.matrix),X(_e*(n.object.top-n.object.bottom)/n.object.zoom/Ae.clientHeight,n.object.matrix)):(console.warn("WARNING: OrbitControls.js encountered an unknown camera type - pan disabled."),n.enablePan=!1)}}();function ee(M){n.object.isPerspectiveCamera||n.object.isOrthographicCamera?c/=M:(console.warn("WARNING: OrbitControls.js encountered an unknown camera type - dolly/zoom disabled."),n.enableZoom=!1)}function te(M){n.object.isPerspectiveCamera||n.object.isOrthographicCamera?c*=M:(console.warn("WARNING: OrbitControls.js encountered an unknown camera type - dolly/zoom disabled."),n.enableZoom=!1)}function K(M,J){if(!n.zoomToCursor)return;T=!0;const re=n.domElement.getBoundingClientRect(),_e=M-re.left,Ae=J-re.top,et=re.width,it=re.height;H.x=_e/et*2-1,H.y=-(Ae/it)*2+1,w.set(H.x,H.y,1).unproject(n.object).sub(n.object.position).normalize()}function Y(M){return Math.max(n.minDistance,Math.min(n.maxDistance,M))}function fe(M){h.set(M.clientX,M.clientY)}function P(M){K(M.clientX,M.clientX),p.set(M.clientX,M.clientY)}function V(M){_.set(M.clientX,M.clientY)}function I(M){f.set(M.clientX,M.clientY),m.subVectors(f,h).multiplyScalar(n.rotateSpeed);const J=n.domElement;G(2*Math.PI*m.x/J.clientHeight),U(2*Math.PI*m.y/J.clientHeight),h.copy(f),n.update()}function Z(M){y.set(M.clientX,M.clientY),S.subVectors(y,p),S.y>0?ee(N(S.y)):S.y<0&&te(N(S.y)),p.copy(y),n.update()}function le(M){v.set(M.clientX,M.clientY),d.subVectors(v,_).multiplyScalar(n.panSpeed),ie(d.x,d.y),_.copy(v),n.update()}function B(M){K(M.clientX,M.clientY),M.deltaY<0?te(N(M.deltaY)):M.deltaY>0&&ee(N(M.deltaY)),n.update()}function se(M){let J=!1;switch(M.code){case n.keys.UP:M.ctrlKey||M.metaKey||M.shiftKey?U(2*Math.PI*n.rotateSpeed/n.domElement.clientHeight):ie(0,n.keyPanSpeed),J=!0;break;case n.keys.BOTTOM:M.ctrlKey||M.metaKey||M.shiftKey?U(-2*Math.PI*n.rotateSpeed/n.domElement.clientHeight):ie(0,-n.keyPanSpeed),J=!0;break;case n.keys.LEFT:M.ctrlKey||M.metaKey||M.shiftKey?G(2*Math.PI*n.rotateSpeed/n.domElement.clientHeight):ie(n.keyPanSpeed,0),J=!0;break;case n.keys.RIGHT:M.ctrlKey||M.metaKey||M.shiftKey?G(-2*Math.PI*n.rotateSpeed/n.domElement.clientHeight):ie(-n.keyPanSpeed,0),J=!0;break}J&&(M.preventDefault(),n.update())}function q(M){if(R.length===1)h.set(M.pageX,M.pageY);else{const J=ht(M),re=.5*(M.pageX+J.x),_e=.5*(M.pageY+J.y);h.set(re,_e)}}function F(M){if(R.length===1)_.set(M.pageX,M.pageY);else{const J=ht(M),re=.5*(M.pageX+J.x),_e=.5*(M.pageY+J.y);_.set(re,_e)}}function ve(M){const J=ht(M),re=M.pageX-J.x,_e=M.pageY-J.y,Ae=Math.sqrt(re*re+_e*_e);p.set(0,Ae)}function ge(M){n.enableZoom&&ve(M),n.enablePan&&F(M)}function Re(M){n.enableZoom&&ve(M),n.enableRotate&&q(M)}function Me(M){if(R.length==1)f.set(M.pageX,M.pageY);else{const re=ht(M),_e=.5*(M.pageX+re.x),Ae=.5*(M.pageY+re.y);f.set(_e,Ae)}m.subVectors(f,h).multiplyScalar(n.rotateSpeed);const J=n.domElement;G(2*Math.PI*m.x/J.clientHeight),U(2*Math.PI*m.y/J.clientHeight),h.copy(f)}function Ce(M){if(R.length===1)v.set(M.pageX,M.pageY);else{const J=ht(M),re=.5*(M.pageX+J.x),_e=.5*(M.pageY+J.y);v.set(re,_e)}d.subVectors(v,_).multiplyScalar(n.panSpeed),ie(d.x,d.y),_.copy(v)}function Ne(M){const J=ht(M),re=M.pageX-J.x,_e=M.pageY-J.y,Ae=Math.sqrt(re*re+_e*_e);y.set(0,Ae),S.set(0,Math.pow(y.y/p.y,n.zoomSpeed)),ee(S.y),p.copy(y);const et=(M.pageX+J.x)*.5,it=(M.pageY+J.y)*.5;K(et,it)}function qe(M){n.enableZoom&&Ne(M),n.enablePan&&Ce(M)}function _t(M){n.enableZoom&&Ne(M),n.enableRotate&&Me(M)}function k(M){n.enabled!==!1&&(R.length===0&&(n.domElement.setPointerCapture(M.pointerId),n.domElement.addEventListener("pointermove",A),n.domElement.addEventListener("pointerup",ce)),!Ve(M)&&(Be(M),M.pointerType==="touch"?we(M):pe(M)))}function A(M){n.enabled!==!1&&(M.pointerType==="touch"?ke(M):xe(M))}function ce(M){switch(Pe(M),R.length){case 0:n.domElement.releasePointerCapture(M.pointerId),n.domElement.removeEventListener("pointermove",A),n.domElement.removeEventListener("pointerup",ce),n.dispatchEvent(gh),r=s.NONE;break;case 1:const J=R[0],re=z[J];we({pointerId:J,pageX:re.x,pageY:re.y});break}}function pe(M){let J;switch(M.button){case 0:J=n.mouseButtons.LEFT;break;case 1:J=n.mouseButtons.MIDDLE;break;case 2:J=n.mouseButtons.RIGHT;break;default:J=-1}switch(J){case Vs.DOLLY:if(n.enableZoom===!1)return;P(M),r=s.DOLLY;break;case Vs.ROTATE:if(M.ctrlKey||M.metaKey||M.shiftKey){if(n.enablePan===!1)return;V(M),r=s.PAN}else{if(n.enableRotate===!1)return;fe(M),r=s.ROTATE}break;case Vs.PAN:if(M.ctrlKey||M.metaKey||M.shiftKey){if(n.enableRotate===!1)return;fe(M),r=s.ROTATE}else{if(n.enablePan===!1)return;V(M),r=s.PAN}break;default:r=s.NONE}r!==s.NONE&&n.dispatchEvent(vl)}function xe(M){switch(r){case s.ROTATE:if(n.enableRotate===!1)return;I(M);break;case s.DOLLY:if(n.enableZoom===!1)return;Z(M);break;case s.PAN:if(n.enablePan===!1)return;le(M);break}}function he(M){n.enabled===!1||n.enableZoom===!1||r!==s.NONE||(M.preventDefault(),n.dispatchEvent(vl),B(de(M)),n.dispatchEvent(gh))}function de(M){const J=M.deltaMode,re={clientX:M.clientX,clientY:M.clientY,deltaY:M.deltaY};switch(J){case 1:re.deltaY*=16;break;case 2:re.deltaY*=100;break}return M.ctrlKey&&!b&&(re.deltaY*=10),re}function Se(M){M.key==="Control"&&(b=!0,n.domElement.getRootNode().addEventListener("keyup",Ee,{passive:!0,capture:!0}))}function Ee(M){M.key==="Control"&&(b=!1,n.domElement.getRootNode().removeEventListener("keyup",Ee,{passive:!0,capture:!0}))}function Xe(M){n.enabled===!1||n.enablePan===!1||se(M)}function we(M){switch($e(M),R.length){case 1:switch(n.touches.ONE){case Gs.ROTATE:if(n.enableRotate===!1)return;q(M),r=s.TOUCH_ROTATE;break;case Gs.PAN:if(n.enablePan===!1)return;F(M),r=s.TOUCH_PAN;break;default:r=s.NONE}break;case 2:switch(n.touches.TWO){case Gs.DOLLY_PAN:if(n.enableZoom===!1&&n.enablePan===!1)return;ge(M),r=s.TOUCH_DOLLY_PAN;break;case Gs.DOLLY_ROTATE:if(n.enableZoom===!1&&n.enableRotate===!1)return;Re(M),r=s.TOUCH_DOLLY_ROTATE;break;default:r=s.NONE}break;default:r=s.NONE}r!==s.NONE&&n.dispatchEvent(vl)}function ke(M){switch($e(M),r){case s.TOUCH_ROTATE:if(n.enableRotate===!1)return;Me(M),n.update();break;case s.TOUCH_PAN:if(n.enablePan===!1)return;Ce(M),n.update();break;case s.TOUCH_DOLLY_PAN:if(n.enableZoom===!1&&n.enablePan===!1)return;qe(M),n.update();break;case s.TOUCH_DOLLY_ROTATE:if(n.enableZoom===!1&&n.enableRotate===!1)return;_t(M),n.update();break;default:r=s.NONE}}function Qe(M){n.enabled!==!1&&M.preventDefault()}function Be(M){R.push(M.pointerId)}function Pe(M){delete z[M.pointerId];for(let J=0;J<R.length;J++)if(R[J]==M.pointerId){R.splice(J,1);return}}function Ve(M){for(let J=0;J<R.length;J++)if(R[J]==M.pointerId)return!0;return!1}function $e(M){let J=z[M.pointerId];J===void 0&&(J=new ze,z[M.pointerId]=J),J.set(M.pageX,M.pageY)}function ht(M){const J=M.pointerId===R[0]?R[1]:R[0];return z[J]}n.domElement.addEventListener("contextmenu",Qe),n.domElement.addEventListener("pointerdown",k),n.domElement.addEventListener("pointercancel",ce),n.domElement.addEventListener("wheel",he,{passive:!1}),n.domElement.getRootNode().addEventListener("keydown",Se,{passive:!0,capture:!0}),this.update()}}const vM=[.8,1,.66],xM=`
  attribute float shade, grow;
  attribute vec3 middle, tint;
  varying vec3 colour;
  void main() {
    vec3 side = step(0.0, cameraPosition - middle) * 2.0 - 1.0;
    bool is_bottom = shade == 1.0 && side.y < 0.0;
    colour = tint * (is_bottom ? 0.55 : shade);
    gl_Position = projectionMatrix * viewMatrix * vec4(middle + position * side * grow, 1.0);
  }`,MM=`
  uniform float opacity;
  varying vec3 colour;
  void main() { gl_FragColor = vec4(colour, opacity); }`;class vh{constructor(e,t,n=1){this.layout=e,this.middles=new pl(new Float32Array(3*t),3),this.tints=new pl(new Uint8Array(3*t),3,!0),this.scales=new pl(new Float32Array(t),1);const s=new pM,r=[],o=[],a=[];for(let c=0;c<3;++c){a.push(...[0,1,2,2,1,3].map(u=>c*4+u));for(const[u,h]of[[-1,-1],[1,-1],[-1,1],[1,1]]){const f=[1,1,1];f[(c+1)%3]=u,f[(c+2)%3]=h,r.push(...f.map((m,_)=>m*e.cell[_]/2)),o.push(vM[c])}}s.setIndex(a),s.setAttribute("position",new Fn(new Float32Array(r),3)),s.setAttribute("shade",new Fn(new Float32Array(o),1)),s.setAttribute("middle",this.middles),s.setAttribute("tint",this.tints),s.setAttribute("grow",this.scales),s.instanceCount=0;const l=n===1;this.mesh=new Nn(s,new Oi({vertexShader:xM,fragmentShader:MM,side:mi,uniforms:{opacity:{value:n}},transparent:!l,depthTest:l,depthWrite:l})),this.mesh.frustumCulled=!1}mesh;middles;tints;scales;set(e,t){for(let n=0;n<e.length;++n){const{colour:[s,r,o],scale:a}=t[e[n]];this.middles.setXYZ(n,...this.layout.position(e[n])),this.tints.array.set([s,r,o],3*n),this.scales.setX(n,a)}this.middles.needsUpdate=this.tints.needsUpdate=this.scales.needsUpdate=!0,this.show(e.length)}show(e){this.mesh.geometry.instanceCount=e}destroy(){this.mesh.geometry.dispose(),this.mesh.material.dispose()}}vt.enabled=!1;const xh=3e3,Mh=512,SM=160;class yM{constructor(e){this.layout=e;const t=e.world>xh;this.renderer=new jx({antialias:!t,alpha:!0,powerPreference:"low-power"}),this.renderer.outputColorSpace=Fi,this.renderer.setPixelRatio(t?1:Math.min(2,devicePixelRatio||1)),this.canvas=this.renderer.domElement,this.element=D("div.space",{},this.canvas,this.labels),this.cells=new vh(e,e.world),this.out=new vh(e,Mh,.55),this.out.mesh.renderOrder=1,this.scene.add(this.cells.mesh,this.out.mesh,this.links),this.orbit=new _M(this.camera,this.canvas),this.orbit.addEventListener("change",()=>this.turn()),this.make_labels(),this.observer.observe(this.element)}element;canvas;labels=D("div.labels",{"aria-hidden":"true"});renderer;scene=new Zx;camera=new Yn(32,1,.1,5e3);orbit;cells;out;looks=[];arranged=-1;outside=0;resting=0;links=new Gr;observer=new ResizeObserver(()=>this.resize());marks=[];waiting=0;has_view=!1;turn(){this.looks.length>0&&this.corner()!==this.arranged&&this.arrange(),this.draw_coarsely()}draw_coarsely(){this.layout.world>xh&&(this.cells.show(this.outside),window.clearTimeout(this.resting),this.resting=window.setTimeout(()=>{this.cells.show(this.layout.world),this.draw_soon()},SM)),this.draw_soon()}make_labels(){const{half:e,counts:t,place:n}=this.layout,{context:s}=this.layout.job,r=(a,l,c="label")=>{const u=D(`span.${c}`,{},a);this.labels.append(u),this.marks.push({element:u,at:new $(...l)})},o=.04*Math.max(...e)+.6;if(r(`${s>1?"data × context":"data"} 0 – ${t[0]-1} →`,[0,-e[1]-o,e[2]+o]),t[1]>1&&r(`tensor 0 – ${t[1]-1} ↑`,[-e[0]-o,0,e[2]]),t[2]>1)for(let a=0;a<t[2];a+=Math.ceil(t[2]/8))r(`stage ${a}`,[e[0]+o,-e[1],e[2]-(a+.5)*n[2]],"label.stage")}set_looks(e){this.looks=e,this.arrange();const t=[];e.forEach(({scale:n},s)=>{n>1&&t.length<Mh&&t.push(s)}),this.out.set(t,e),this.draw_coarsely()}corner(){const{x:e,y:t,z:n}=this.camera.position;return(e>0?1:0)+(t>0?2:0)+(n>0?4:0)}arrange(){this.arranged=this.corner();const[e,t,n]=this.layout.counts,s=[],r=[];for(let o=0;o<this.layout.world;++o){const a=this.layout.cell_of(o);(a[0]===(this.arranged&1?e-1:0)||a[1]===(this.arranged&2?t-1:0)||a[2]===(this.arranged&4?0:n-1)?s:r).push(o)}this.outside=s.length,this.cells.set([...s,...r],this.looks)}set_links(e){for(const t of[...this.links.children])t.geometry.dispose(),t.material.dispose();this.links.clear();for(const t of e)this.links.add(...t.arrow?this.arc(t):[this.beam(t)]);this.draw_soon()}thickness(e){return Math.min(...this.layout.place.filter((t,n)=>this.layout.counts[n]>1),1)*(.03+.07*e.load)+.0028*Math.max(...this.layout.half)}beam(e){const t=new $(...this.layout.position(e.from)),n=new $(...this.layout.position(e.to)),s=n.clone().sub(t),r=new Nn(new ha(1,1,1,8),new Qo({color:e.colour,depthTest:!1,transparent:!0}));return r.scale.set(this.thickness(e),s.length(),this.thickness(e)),r.position.copy(t.add(n).multiplyScalar(.5)),r.quaternion.setFromUnitVectors(new $(0,1,0),s.normalize()),r.renderOrder=2,r}arc(e){const t=new $(...this.layout.position(e.from)),n=new $(...this.layout.position(e.to)),s=t.distanceTo(n),r=this.thickness(e),o=t.clone().add(n).multiplyScalar(.5).add(new $(0,e.lift*(.25*s+this.layout.cell[1]),0)),a=new sc(t,o,n),l=new Qo({color:e.colour,depthTest:!1,transparent:!0}),c=new Nn(new oc(a,24,r,6),l),u=new Nn(new rc(r*2.6,r*8,10),l.clone()),h=a.getTangent(1);return u.quaternion.setFromUnitVectors(new $(0,1,0),h),u.position.copy(n).addScaledVector(h,-r*4),c.renderOrder=u.renderOrder=3,[c,u]}show_all(){this.has_view=!0;const{half:e}=this.layout,t=[];for(const o of[-1,1])for(const a of[-1,1])for(const l of[-1,1])t.push(new $(o*e[0],a*e[1],l*e[2]));const n=new $(-.32,.62,1).normalize();let s=.1,r=20*Math.max(...e)+10;for(let o=0;o<40;++o){const a=(s+r)/2;this.camera.position.copy(n).multiplyScalar(a),this.camera.lookAt(0,0,0),this.camera.updateMatrixWorld(),t.every(c=>{const u=c.clone().project(this.camera);return Math.abs(u.x)<.86&&Math.abs(u.y)<.84&&u.z<1&&c.clone().applyMatrix4(this.camera.matrixWorldInverse).z<0})?r=a:s=a}this.camera.position.copy(n).multiplyScalar(r),this.orbit.target.set(0,0,0),this.orbit.update(),this.draw_soon()}zoom(e){this.camera.position.sub(this.orbit.target).multiplyScalar(e).add(this.orbit.target),this.orbit.update(),this.draw_soon()}rank_at(e){const t=this.canvas.getBoundingClientRect(),n=new mM;n.setFromCamera(new ze((e.clientX-t.left)/t.width*2-1,1-(e.clientY-t.top)/t.height*2),this.camera);const{origin:s,direction:r}=n.ray,o=[s.x,s.y,s.z],a=[r.x,r.y,r.z];let l=-1,c=1/0;for(let u=0;u<this.layout.world;++u){const h=this.layout.position(u);let f=0,m=1/0;for(let _=0;_<3;++_){const v=this.layout.cell[_]/2*(this.looks[u]?.scale??1),d=(h[_]-v-o[_])/a[_],p=(h[_]+v-o[_])/a[_];f=Math.max(f,Math.min(d,p)),m=Math.min(m,Math.max(d,p))}f<=m&&f<c&&(c=f,l=u)}return l}draw_soon(){this.waiting||=requestAnimationFrame(()=>{this.waiting=0,this.draw()})}draw(){const e=this.element.clientWidth,t=this.element.clientHeight;if(e===0||!this.has_view)return;this.renderer.render(this.scene,this.camera);const n=[];for(const{element:s,at:r}of this.marks){const o=r.clone().project(this.camera),a=4*(s.textContent?.length??0),l=Math.max(a,Math.min(e-a,(o.x+1)/2*e)),c=(1-o.y)/2*t,u=n.every(h=>Math.abs(h.x-l)>56||Math.abs(h.y-c)>16);u&&n.push({x:l,y:c}),s.style.transform=`translate(${l}px, ${c}px) translate(-50%, -50%)`,s.style.visibility=u&&o.z<1?"visible":"hidden"}}resize(){const e=this.element.clientWidth,t=this.element.clientHeight;e===0||t===0||(this.renderer.setSize(e,t),this.camera.aspect=e/t,this.camera.updateProjectionMatrix(),this.has_view||this.show_all(),this.draw())}destroy(){this.observer.disconnect(),this.orbit.dispose(),this.set_links([]),window.clearTimeout(this.resting),cancelAnimationFrame(this.waiting),this.cells.destroy(),this.out.destroy(),this.renderer.dispose(),this.renderer.forceContextLoss()}}const Bl={compute:"computes slowly",input:"waits for data",launch:"starts transfers late",wire:"slow wire"};function EM(i){const e=[...i].sort((t,n)=>t-n);return e[Math.floor((e.length-1)/2)]}function rd(i,e){const t=new Map;i.ranks.forEach((s,r)=>{const o=t.get(s.work);o?o.push(e.values[r]):t.set(s.work,[e.values[r]])});const n=new Map([...t].map(([s,r])=>[s,EM(r)]));return i.ranks.map((s,r)=>{const o=n.get(s.work),a=e.values[r];return{row:s,value:a,excess:e.unit==="ratio"?o-a:o>0?a/o-1:0}})}function Go({data:i,tensor:e,context:t,pipeline:n}){return`data ${i} · tensor ${e}${t?` · context ${t}`:""} · stage ${n}`}function Sh(i){return`${i.host||"host unknown"} · ${Go(i.at)}`}function yh(i,e=6){const t=[];for(let n=0;n<i.length;){let s=n;for(;s+1<i.length&&i[s+1]===i[s]+1;)++s;t.push(s===n?String(i[n]):`${i[n]}${s===n+1?", ":"-"}${i[s]}`),n=s+1}return t.length<=e?t.join(", "):`${t.slice(0,3).join(", ")} … ${t.at(-1)} (${i.length})`}const bM=3e3,wM=5,TM=10,Eh={tensor:"--series-1",data:"--series-2",pipeline:"--series-3",context:"--series-4"},AM={both:"↔",sends:"→",receives:"←",none:"–"},bh={usual:"as its peers",slow:"slow",stuck:"holds up the job",waits:"waits for it",unknown:"no records"};function RM(i,e){let t=null,n,s=null,r=null,o=null,a=[],l=[],c=new Set,u=-1,h=e.parameters.get("column")??"",f=e.parameters.get("scale")??"",m=[0,1],_=!1,v=0;const d=D("div.controls"),p=D("div.verdict",{role:"status"}),y=D("div.space-holder",{tabindex:0,role:"application","aria-label":"Grid of ranks. Arrow keys choose a rank along data and tensor, Page Up and Page Down along stages."}),S=D("div.tip",{hidden:!0}),w=D("section.panel.side",{"aria-label":"Chosen rank"}),H=D("div.scale"),T=D("div.grid3",{},D("div",{},y,H),w);i.append(d,p,T);const R=sa(()=>{N(),ie()}),z=()=>s!==null&&e.run.kind==="simulated"&&s.ranks.length<n.world,b=()=>s?.columns.find(B=>B.key===h);function x(){a=Array.from({length:n.world},()=>({value:null,excess:0,state:"unknown",text:""}));const B=b();if(s&&B){const q=rd(s,B),F=(ve,ge)=>{a[ve]={value:ge.value,excess:ge.excess,state:"usual",text:""}};if(z()){const ve=new Map;for(const ge of q)ve.has(ge.row.at.pipeline)||ve.set(ge.row.at.pipeline,ge);for(let ge=0;ge<n.world;++ge){const Re=ve.get(n.at(ge).pipeline);Re&&F(ge,Re)}}for(const ve of q)F(ve.row.rank,ve);for(const ve of s.stragglers)for(const ge of ve.ranks)Object.assign(a[ge],{state:"slow",text:`${Bl[ve.cause]}: ${ve.text}`});for(const ve of s.problems)a[ve.rank]&&(a[ve.rank].text=ve.text)}for(const q of r?.waiting??[])Object.assign(a[q.rank],{state:"waits",text:`waits in ${q.task} for rank ${yh(q.awaited)}`});for(const q of(r?.suspects??[]).slice().reverse())Object.assign(a[q.rank],{state:"stuck",text:q.reason});const se=a.map(q=>q.value).filter(q=>q!==null);m=se.length?[Math.min(...se),Math.max(...se)]:[0,1]}function N(){if(!t)return;const B=kt("--surface").match(/[0-9a-f]{2}/gi).map(F=>Number.parseInt(F,16)),se=h==="state"||!b(),q=a.map((F,ve)=>{const ge=se||F.value===null||F.state==="stuck"||r?.hangs&&F.state==="waits"?Gc(F.state):f==="absolute"?Tp((F.value-m[0])/(m[1]-m[0]||1)):Cf(F.excess).rgb,Me=(c.size>0?!c.has(ve)&&F.state!=="stuck":r?.hangs&&F.state!=="stuck"&&F.state!=="waits")?.72:0,Ce=ve===u||F.state==="stuck"?1.38:F.state==="slow"?1.15:1;return{colour:ge.map((Ne,qe)=>Ne+(B[qe]-Ne)*Me),scale:Ce}});t.set_looks(q),G(se)}function G(B){const se=new Map;for(const F of a)se.set(F.state,(se.get(F.state)??0)+1);const q=F=>F.filter(ve=>se.has(ve)).map(ve=>{const ge=D("i.dot",{});return ge.style.background=`rgb(${Gc(ve).join(" ")})`,D("span",{},ge,`${bh[ve]} (${se.get(ve)})`)});if(B)nt(H,...q(["usual","slow","stuck","waits","unknown"]));else{const F=b().unit,ve=f==="absolute"?"gradient.absolute":"gradient";nt(H,D("span",{},f==="absolute"?Pi(m[0],F):"−20 %"),D(`span.${ve}`,{}),D("span",{},f==="absolute"?Pi(m[1],F):"+20 %"),D("span.muted",{},f==="absolute"?b().label:"against the median of the ranks with the same work"),...r?.hangs?q(["stuck","waits"]):[])}H.append(D("span.muted.hint",{},"drag turns, wheel zooms, click chooses"))}function U(){const B=r?.suspects??[];nt(p,...B.slice(0,3).map(se=>D("div.straggler",{},D("span.cause",{},"holds up the job"),D("span",{},` ${se.reason}`),D("span.muted",{},` its process ${se.process_id||""}${se.host?` on ${se.host}`:""} is ${se.process} `),D("button.plain",{onclick:()=>void ee(se.rank)},"show"))),...(s?.stragglers??[]).slice(0,2).map(se=>D("div.straggler",{},D(`span.cause.${se.cause}`,{},Bl[se.cause]),` ${se.text} `,D("button.plain",{onclick:()=>void ee(se.ranks[0])},"show"))),(s?.stragglers.length??0)>2&&D("div.muted",{},`and ${s.stragglers.length-2} more, which the heat map lists`),z()&&D("div.muted",{},`Simulated with ${s.ranks.length} of ${n.world} ranks: each other rank is shown as the first of its stage.`),B.length===0&&s&&!s.stragglers.length&&!z()&&D("div.fine",{},"No rank stands out in the last steps."))}function j(B,se,q){if(B.axes.length!==1||!B.members)return null;const F=kt(Eh[B.axes[0]]??"--muted"),ve=Math.max(B.sent_bytes,B.received_bytes)/q;if(B.size===2&&B.direction!=="both"){const ge=B.members.find(Me=>Me!==se),Re=B.direction==="sends";return{from:Re?se:ge,to:Re?ge:se,arrow:!0,colour:F,load:ve,lift:B.lane.startsWith("backward")?-1:1}}return{from:B.members[0],to:B.members.at(-1),arrow:!1,colour:F,load:ve,lift:0}}let X=null;function ie(){if(!t)return;const B=X?.groups??[],se=Math.max(1,...B.map(q=>Math.max(q.sent_bytes,q.received_bytes)));l=B.map(q=>j(q,u,se)).filter(q=>q!==null),t.set_links(l)}async function ee(B){if(!(B===u||!t)&&(u=B,e.remember({rank:B<0?null:String(B)}),c=new Set(B<0?[]:[B]),X=null,N(),ie(),te(),!(B<0))){pr(`rank ${B}, ${Go(n.at(B))}${a[B].text?`, ${a[B].text}`:""}`);try{const se=await cn(`/api/runs/${e.run.id}/peers?rank=${B}`);if(_||u!==B)return;X=se;for(const q of se.groups)q.axes.length===1&&q.members?.forEach(F=>c.add(F));N(),ie(),te()}catch(se){!_&&u===B&&w.append(rn("Its groups cannot be shown",se.message,"error"))}}}function te(){if(u<0){nt(w,D("h2.title",{},`${n.world} ranks`),D("p.muted",{},`data ${e.run.job.data} · tensor ${e.run.job.tensor} · context ${e.run.job.context} · pipeline ${e.run.job.pipeline}`),D("p.muted",{},"Choose a rank to see its groups, the direction and the load of their transfers, and its state."));return}const{value:B,excess:se,state:q,text:F}=a[u],ve=s?.ranks.find(Me=>Me.rank===u),ge=[["Place",Go(n.at(u))],["Host",ve?.host||"unknown"],["State",F||bh[q]]];B!==null&&b()&&ge.push([b().label,`${Pi(B,b().unit)} (${se>=0?"+":""}${wn(se)} against peers)`]);const Re=o?.incidents.filter(Me=>Me.rank===u||Me.rank<0&&Me.host!==""&&Me.host===ve?.host).at(-1);Re&&ge.push(["Last incident",`${Re.what}${Re.step>=0?`, step ${Re.step}`:""}: ${Re.open?"open":Re.outcome}`]),nt(w,D("div.head",{},D("h2",{},`Rank ${u}`),ve?D("button",{onclick:()=>e.go("timeline",{ranks:String(u)})},"Timeline"):null,D("button.plain",{onclick:()=>void ee(-1),title:"Key Esc"},"Close")),D("dl.facts",{},...ge.flatMap(([Me,Ce])=>[D("dt",{},Me),D("dd",{},Ce)])),X&&D("table.groups",{},D("thead",{},D("tr",{},D("th",{},"Group"),D("th",{},"With"),D("th",{},"A step"),D("th",{},"Rate"))),D("tbody",{},...X.groups.map(K))),X&&X.times_of!==void 0&&X.times_of!==u&&D("p.muted",{},`Rates are those of rank ${X.times_of}, which has the same plan.`))}function K(B){const se=Math.max(B.sent_bytes,B.received_bytes),q=D("i.dot",{});q.style.background=kt(B.axes.length===1?Eh[B.axes[0]]??"--muted":"--muted");const F=B.members?.filter(ve=>ve!==u);return D("tr",{title:`${B.key}, lane ${B.lane}, ${B.transfers} transfers a step`},D("td",{},q,`${B.axes.join(" × ")} `,D("span.muted",{},B.axes.join()===B.lane?"":B.lane.replace("_"," "))),D("td",{},`${AM[B.direction]} ${F?yh(F,4):`${B.size-1} ranks`}`),D("td",{},ri(se)),D("td",{},B.moving_seconds&&se>0?`${ri(se/B.moving_seconds)}/s`:"–"))}function Y(){const B=[{value:"state",label:"state"},...(s?.columns??[]).map(q=>({value:q.key,label:q.label,group:q.group}))],se=D("input",{size:7,inputmode:"numeric",placeholder:"rank"});se.addEventListener("change",()=>{const q=Number(se.value);Number.isInteger(q)&&q>=0&&q<n.world&&se.value!==""&&ee(q)}),nt(d,xi("Colour",Di(B,h,q=>{h=q,e.remember({column:q}),P()})),xi("Scale",Di([{value:"peers",label:"against peers"},{value:"absolute",label:"least to most"}],f,q=>{f=q,e.remember({scale:q}),N()})),xi("Find",se),D("button",{onclick:()=>t?.show_all(),title:"Key 0"},"Whole grid"))}function fe(){const{kind:B,age_seconds:se,newest:q}=e.run;return B==="trained"&&(se??0)>Math.max(TM,wM*(q.step_seconds??0))}async function P(){window.clearTimeout(v);const B=h;try{s=await cn(`/api/runs/${e.run.id}/ranks?steps=8&columns=${encodeURIComponent(B||"compute")}`),B||(h="compute"),f||=z()?"absolute":"peers"}catch(se){if(se.status!==404)throw se;h||="state",f||="peers"}e.run.has_job&&(o=await cn(`/api/runs/${e.run.id}/job`).catch(()=>null)),r=fe()?await cn(`/api/runs/${e.run.id}/hang`).catch(()=>null):null,!(_||B&&B!==h)&&((!d.hasChildNodes()||s&&d.querySelectorAll("option").length<5)&&Y(),x(),N(),U(),w.contains(document.activeElement)||te(),v=window.setTimeout(()=>void P().catch(V),e.run.kind==="simulated"?6e4:bM))}function V(B){_||nt(p,rn("Records cannot be read",B.message,"error"))}function I(){let B=null;t.canvas.addEventListener("pointerdown",se=>{B=[se.clientX,se.clientY]}),t.canvas.addEventListener("click",se=>{B&&Math.hypot(se.clientX-B[0],se.clientY-B[1])<4&&ee(t.rank_at(se))}),t.canvas.addEventListener("pointermove",se=>{const q=se.buttons?-1:t.rank_at(se);if(S.hidden=q<0,t.canvas.style.cursor=q<0?"grab":"pointer",q<0)return;const{value:F,excess:ve,text:ge}=a[q],Re=y.getBoundingClientRect();S.style.transform=`translate(${se.clientX-Re.left+14}px, ${se.clientY-Re.top+14}px)`,nt(S,D("strong",{},`rank ${q}`),D("div",{},Go(n.at(q))),F!==null&&b()?D("div",{},`${b().label} ${Pi(F,b().unit)}, ${ve>=0?"+":""}${wn(ve)}`):null,ge?D("div",{},ge):null)}),t.canvas.addEventListener("pointerleave",()=>{S.hidden=!0})}function Z(B){if(!t)return!1;const q={ArrowLeft:[0,-1],ArrowRight:[0,1],ArrowDown:[1,-1],ArrowUp:[1,1],PageUp:[2,1],PageDown:[2,-1]}[B.key];if(q)ee(u<0?0:n.neighbour(u,...q));else if(B.key==="Escape")ee(-1);else if(B.key==="0")t.show_all();else if(B.key==="+"||B.key==="w")t.zoom(.85);else if(B.key==="-"||B.key==="s")t.zoom(1/.85);else return!1;return!0}function le(){if(!e.run.job){T.hidden=!0,nt(p,rn("No grid",e.run.problem??"The size of the job is not known.","empty"));return}n=new Up(e.run.job),a=Array.from({length:n.world},()=>({value:null,excess:0,state:"unknown",text:""}));try{t=new yM(n)}catch{T.hidden=!0,nt(p,rn("This browser draws no WebGL","Turn on hardware acceleration or software rendering of WebGL. The heat map shows the same numbers without it.","error"));return}y.append(t.element,S),I(),N(),te(),P().then(()=>{const B=Number(e.parameters.get("rank")??r?.suspects?.[0]?.rank??-1);B>=0&&B<n.world&&ee(B)}).catch(V)}return le(),{leave(){_=!0,window.clearTimeout(v),R(),t?.destroy()},key:Z}}const CM=!0,Zt="u-",PM="uplot",LM=Zt+"hz",DM=Zt+"vt",UM=Zt+"title",IM=Zt+"wrap",NM=Zt+"under",OM=Zt+"over",FM=Zt+"axis",xs=Zt+"off",kM=Zt+"select",BM=Zt+"cursor-x",zM=Zt+"cursor-y",HM=Zt+"cursor-pt",VM=Zt+"legend",GM=Zt+"live",WM=Zt+"inline",XM=Zt+"series",$M=Zt+"marker",wh=Zt+"label",YM=Zt+"value",Wr="width",Xr="height",zr="top",Th="bottom",ar="left",xl="right",ac="#000",Ah=ac+"0",Ml="mousemove",Rh="mousedown",Sl="mouseup",Ch="mouseenter",Ph="mouseleave",Lh="dblclick",qM="resize",KM="scroll",Dh="change",ea="dppxchange",lc="--",br=typeof window<"u",zl=br?document:null,dr=br?window:null,jM=br?navigator:null;let mt,Fo;function Hl(){let i=devicePixelRatio;mt!=i&&(mt=i,Fo&&Gl(Dh,Fo,Hl),Fo=matchMedia(`(min-resolution: ${mt-.001}dppx) and (max-resolution: ${mt+.001}dppx)`),Es(Dh,Fo,Hl),dr.dispatchEvent(new CustomEvent(ea)))}function In(i,e){if(e!=null){let t=i.classList;!t.contains(e)&&t.add(e)}}function Vl(i,e){let t=i.classList;t.contains(e)&&t.remove(e)}function Ct(i,e,t){i.style[e]=t+"px"}function ii(i,e,t,n){let s=zl.createElement(i);return e!=null&&In(s,e),t?.insertBefore(s,n),s}function Xn(i,e){return ii("div",i,e)}const Uh=new WeakMap;function fi(i,e,t,n,s){let r="translate("+e+"px,"+t+"px)",o=Uh.get(i);r!=o&&(i.style.transform=r,Uh.set(i,r),e<0||t<0||e>n||t>s?In(i,xs):Vl(i,xs))}const Ih=new WeakMap;function Nh(i,e,t){let n=e+t,s=Ih.get(i);n!=s&&(Ih.set(i,n),i.style.background=e,i.style.borderColor=t)}const Oh=new WeakMap;function Fh(i,e,t,n){let s=e+""+t,r=Oh.get(i);s!=r&&(Oh.set(i,s),i.style.height=t+"px",i.style.width=e+"px",i.style.marginLeft=n?-e/2+"px":0,i.style.marginTop=n?-t/2+"px":0)}const cc={passive:!0},ZM={...cc,capture:!0};function Es(i,e,t,n){e.addEventListener(i,t,n?ZM:cc)}function Gl(i,e,t,n){e.removeEventListener(i,t,cc)}br&&Hl();function si(i,e,t,n){let s;t=t||0,n=n||e.length-1;let r=n<=2147483647;for(;n-t>1;)s=r?t+n>>1:Bn((t+n)/2),e[s]<i?t=s:n=s;return i-e[t]<=e[n]-i?t:n}function od(i){return(t,n,s)=>{let r=-1,o=-1;for(let a=n;a<=s;a++)if(i(t[a])){r=a;break}for(let a=s;a>=n;a--)if(i(t[a])){o=a;break}return[r,o]}}const ad=i=>i!=null,ld=i=>i!=null&&i>0,fa=od(ad),JM=od(ld);function QM(i,e,t,n=0,s=!1){let r=s?JM:fa,o=s?ld:ad;[e,t]=r(i,e,t);let a=i[e],l=i[e];if(e>-1)if(n==1)a=i[e],l=i[t];else if(n==-1)a=i[t],l=i[e];else for(let c=e;c<=t;c++){let u=i[c];o(u)&&(u<a?a=u:u>l&&(l=u))}return[a??yt,l??-yt]}function da(i,e,t,n){let s=zh(i),r=zh(e);i==e&&(s==-1?(i*=t,e/=t):(i/=t,e*=t));let o=t==10?Ui:cd,a=s==1?Bn:$n,l=r==1?$n:Bn,c=a(o(qt(i))),u=l(o(qt(e))),h=xr(t,c),f=xr(t,u);return t==10&&(c<0&&(h=Et(h,-c)),u<0&&(f=Et(f,-u))),n||t==2?(i=h*s,e=f*r):(i=dd(i,h),e=pa(e,f)),[i,e]}function uc(i,e,t,n){let s=da(i,e,t,n);return i==0&&(s[0]=0),e==0&&(s[1]=0),s}const hc=.1,kh={mode:3,pad:hc},Kr={pad:0,soft:null,mode:0},eS={min:Kr,max:Kr};function ta(i,e,t,n){return ma(t)?Bh(i,e,t):(Kr.pad=t,Kr.soft=n?0:null,Kr.mode=n?3:0,Bh(i,e,eS))}function dt(i,e){return i??e}function tS(i,e,t){for(e=dt(e,0),t=dt(t,i.length-1);e<=t;){if(i[e]!=null)return!0;e++}return!1}function Bh(i,e,t){let n=t.min,s=t.max,r=dt(n.pad,0),o=dt(s.pad,0),a=dt(n.hard,-yt),l=dt(s.hard,yt),c=dt(n.soft,yt),u=dt(s.soft,-yt),h=dt(n.mode,0),f=dt(s.mode,0),m=e-i,_=Ui(m),v=Sn(qt(i),qt(e)),d=Ui(v),p=qt(d-_);(m<1e-24||p>10)&&(m=0,(i==0||e==0)&&(m=1e-24,h==2&&c!=yt&&(r=0),f==2&&u!=-yt&&(o=0)));let y=m||v||1e3,S=Ui(y),w=xr(10,Bn(S)),H=y*(m==0?i==0?.1:1:r),T=Et(dd(i-H,w/10),24),R=i>=c&&(h==1||h==3&&T<=c||h==2&&T>=c)?c:yt,z=Sn(a,T<R&&i>=R?R:ai(R,T)),b=y*(m==0?e==0?.1:1:o),x=Et(pa(e+b,w/10),24),N=e<=u&&(f==1||f==3&&x>=u||f==2&&x<=u)?u:-yt,G=ai(l,x>N&&e<=N?N:Sn(N,x));return z==G&&z==0&&(G=100),[z,G]}const nS=new Intl.NumberFormat(br?jM.language:"en-US"),fc=i=>nS.format(i),zn=Math,Wo=zn.PI,qt=zn.abs,Bn=zn.floor,Yt=zn.round,$n=zn.ceil,ai=zn.min,Sn=zn.max,xr=zn.pow,zh=zn.sign,Ui=zn.log10,cd=zn.log2,iS=(i,e=1)=>zn.sinh(i)*e,yl=(i,e=1)=>zn.asinh(i/e),yt=1/0;function Hh(i){return(Ui((i^i>>31)-(i>>31))|0)+1}function Wl(i,e,t){return ai(Sn(i,e),t)}function ud(i){return typeof i=="function"}function at(i){return ud(i)?i:()=>i}const sS=()=>{},hd=i=>i,fd=(i,e)=>e,rS=i=>null,Vh=i=>!0,Gh=(i,e)=>i==e,oS=/\.\d*?(?=9{6,}|0{6,})/gm,As=i=>{if(md(i)||is.has(i))return i;const e=`${i}`,t=e.match(oS);if(t==null)return i;let n=t[0].length-1;if(e.indexOf("e-")!=-1){let[s,r]=e.split("e");return+`${As(s)}e${r}`}return Et(i,n)};function ps(i,e){return As(Et(As(i/e))*e)}function pa(i,e){return As($n(As(i/e))*e)}function dd(i,e){return As(Bn(As(i/e))*e)}function Et(i,e=0){if(md(i))return i;let t=10**e,n=i*t*(1+Number.EPSILON);return Yt(n)/t}const is=new Map;function pd(i){return((""+i).split(".")[1]||"").length}function Jr(i,e,t,n){let s=[],r=n.map(pd);for(let o=e;o<t;o++){let a=qt(o),l=Et(xr(i,o),a);for(let c=0;c<n.length;c++){let u=i==10?+`${n[c]}e${o}`:n[c]*l,h=(o>=0?0:a)+(o>=r[c]?0:r[c]),f=i==10?u:Et(u,h);s.push(f),is.set(f,h)}}return s}const jr={},dc=[],Mr=[null,null],ji=Array.isArray,md=Number.isInteger,aS=i=>i===void 0;function Wh(i){return typeof i=="string"}function ma(i){let e=!1;if(i!=null){let t=i.constructor;e=t==null||t==Object}return e}function lS(i){return i!=null&&typeof i=="object"}const cS=Object.getPrototypeOf(Uint8Array),gd="__proto__";function Sr(i,e=ma){let t;if(ji(i)){let n=i.find(s=>s!=null);if(ji(n)||e(n)){t=Array(i.length);for(let s=0;s<i.length;s++)t[s]=Sr(i[s],e)}else t=i.slice()}else if(i instanceof cS)t=i.slice();else if(e(i)){t={};for(let n in i)n!=gd&&(t[n]=Sr(i[n],e))}else t=i;return t}function Xt(i){let e=arguments;for(let t=1;t<e.length;t++){let n=e[t];for(let s in n)s!=gd&&(ma(i[s])?Xt(i[s],Sr(n[s])):i[s]=Sr(n[s]))}return i}const uS=0,hS=1,fS=2;function dS(i,e,t){for(let n=0,s,r=-1;n<e.length;n++){let o=e[n];if(o>r){for(s=o-1;s>=0&&i[s]==null;)i[s--]=null;for(s=o+1;s<t&&i[s]==null;)i[r=s++]=null}}}function pS(i,e){if(_S(i)){let o=i[0].slice();for(let a=1;a<i.length;a++)o.push(...i[a].slice(1));return vS(o[0])||(o=gS(o)),o}let t=new Set;for(let o=0;o<i.length;o++){let l=i[o][0],c=l.length;for(let u=0;u<c;u++)t.add(l[u])}let n=[Array.from(t).sort((o,a)=>o-a)],s=n[0].length,r=new Map;for(let o=0;o<s;o++)r.set(n[0][o],o);for(let o=0;o<i.length;o++){let a=i[o],l=a[0];for(let c=1;c<a.length;c++){let u=a[c],h=Array(s).fill(void 0),f=e?e[o][c]:hS,m=[];for(let _=0;_<u.length;_++){let v=u[_],d=r.get(l[_]);v===null?f!=uS&&(h[d]=v,f==fS&&m.push(d)):h[d]=v}dS(h,m,s),n.push(h)}}return n}const mS=typeof queueMicrotask>"u"?i=>Promise.resolve().then(i):queueMicrotask;function gS(i){let e=i[0],t=e.length,n=Array(t);for(let r=0;r<n.length;r++)n[r]=r;n.sort((r,o)=>e[r]-e[o]);let s=[];for(let r=0;r<i.length;r++){let o=i[r],a=Array(t);for(let l=0;l<t;l++)a[l]=o[n[l]];s.push(a)}return s}function _S(i){let e=i[0][0],t=e.length;for(let n=1;n<i.length;n++){let s=i[n][0];if(s.length!=t)return!1;if(s!=e){for(let r=0;r<t;r++)if(s[r]!=e[r])return!1}}return!0}function vS(i,e=100){const t=i.length;if(t<=1)return!0;let n=0,s=t-1;for(;n<=s&&i[n]==null;)n++;for(;s>=n&&i[s]==null;)s--;if(s<=n)return!0;const r=Sn(1,Bn((s-n+1)/e));for(let o=i[n],a=n+r;a<=s;a+=r){const l=i[a];if(l!=null){if(l<=o)return!1;o=l}}return!0}const _d=["January","February","March","April","May","June","July","August","September","October","November","December"],vd=["Sunday","Monday","Tuesday","Wednesday","Thursday","Friday","Saturday"];function xd(i){return i.slice(0,3)}const xS=vd.map(xd),MS=_d.map(xd),SS={MMMM:_d,MMM:MS,WWWW:vd,WWW:xS};function Hr(i){return(i<10?"0":"")+i}function yS(i){return(i<10?"00":i<100?"0":"")+i}const ES={YYYY:i=>i.getFullYear(),YY:i=>(i.getFullYear()+"").slice(2),MMMM:(i,e)=>e.MMMM[i.getMonth()],MMM:(i,e)=>e.MMM[i.getMonth()],MM:i=>Hr(i.getMonth()+1),M:i=>i.getMonth()+1,DD:i=>Hr(i.getDate()),D:i=>i.getDate(),WWWW:(i,e)=>e.WWWW[i.getDay()],WWW:(i,e)=>e.WWW[i.getDay()],HH:i=>Hr(i.getHours()),H:i=>i.getHours(),h:i=>{let e=i.getHours();return e==0?12:e>12?e-12:e},AA:i=>i.getHours()>=12?"PM":"AM",aa:i=>i.getHours()>=12?"pm":"am",a:i=>i.getHours()>=12?"p":"a",mm:i=>Hr(i.getMinutes()),m:i=>i.getMinutes(),ss:i=>Hr(i.getSeconds()),s:i=>i.getSeconds(),fff:i=>yS(i.getMilliseconds())};function pc(i,e){e=e||SS;let t=[],n=/\{([a-z]+)\}|[^{]+/gi,s;for(;s=n.exec(i);)t.push(s[0][0]=="{"?ES[s[1]]:s[0]);return r=>{let o="";for(let a=0;a<t.length;a++)o+=typeof t[a]=="string"?t[a]:t[a](r,e);return o}}const bS=new Intl.DateTimeFormat().resolvedOptions().timeZone;function wS(i,e){let t;return e=="UTC"||e=="Etc/UTC"?t=new Date(+i+i.getTimezoneOffset()*6e4):e==bS?t=i:(t=new Date(i.toLocaleString("en-US",{timeZone:e})),t.setMilliseconds(i.getMilliseconds())),t}const Md=i=>i%1==0,na=[1,2,2.5,5],TS=Jr(10,-32,0,na),Sd=Jr(10,0,32,na),AS=Sd.filter(Md),ms=TS.concat(Sd),mc=`
`,yd="{YYYY}",Xh=mc+yd,Ed="{M}/{D}",$r=mc+Ed,ko=$r+"/{YY}",bd="{aa}",RS="{h}:{mm}",lr=RS+bd,$h=mc+lr,Yh=":{ss}",gt=null;function wd(i){let e=i*1e3,t=e*60,n=t*60,s=n*24,r=s*30,o=s*365,l=(i==1?Jr(10,0,3,na).filter(Md):Jr(10,-3,0,na)).concat([e,e*5,e*10,e*15,e*30,t,t*5,t*10,t*15,t*30,n,n*2,n*3,n*4,n*6,n*8,n*12,s,s*2,s*3,s*4,s*5,s*6,s*7,s*8,s*9,s*10,s*15,r,r*2,r*3,r*4,r*6,o,o*2,o*5,o*10,o*25,o*50,o*100]);const c=[[o,yd,gt,gt,gt,gt,gt,gt,1],[s*28,"{MMM}",Xh,gt,gt,gt,gt,gt,1],[s,Ed,Xh,gt,gt,gt,gt,gt,1],[n,"{h}"+bd,ko,gt,$r,gt,gt,gt,1],[t,lr,ko,gt,$r,gt,gt,gt,1],[e,Yh,ko+" "+lr,gt,$r+" "+lr,gt,$h,gt,1],[i,Yh+".{fff}",ko+" "+lr,gt,$r+" "+lr,gt,$h,gt,1]];function u(h){return(f,m,_,v,d,p)=>{let y=[],S=d>=o,w=d>=r&&d<o,H=h(_),T=Et(H*i,3),R=El(H.getFullYear(),S?0:H.getMonth(),w||S?1:H.getDate()),z=Et(R*i,3);if(w||S){let b=w?d/r:0,x=S?d/o:0,N=T==z?T:Et(El(R.getFullYear()+x,R.getMonth()+b,1)*i,3),G=new Date(Yt(N/i)),U=G.getFullYear(),j=G.getMonth();for(let X=0;N<=v;X++){let ie=El(U+x*X,j+b*X,1),ee=ie-h(Et(ie*i,3));N=Et((+ie+ee)*i,3),N<=v&&y.push(N)}}else{let b=d>=s?s:d,x=Bn(_)-Bn(T),N=z+x+pa(T-z,b);y.push(N);let G=h(N),U=G.getHours()+G.getMinutes()/t+G.getSeconds()/n,j=d/n,X=f.axes[m]._space,ie=p/X;for(;N=Et(N+d,i==1?0:3),!(N>v);)if(j>1){let ee=Bn(Et(U+j,6))%24,Y=h(N).getHours()-ee;Y>1&&(Y=-1),N-=Y*n,U=(U+j)%24;let fe=y[y.length-1];Et((N-fe)/d,3)*ie>=.7&&y.push(N)}else y.push(N)}return y}}return[l,c,u]}const[CS,PS,LS]=wd(1),[DS,US,IS]=wd(.001);Jr(2,-53,53,[1]);function qh(i,e){return i.map(t=>t.map((n,s)=>s==0||s==8||n==null?n:e(s==1||t[8]==0?n:t[1]+n)))}function Kh(i,e){return(t,n,s,r,o)=>{let a=e.find(_=>o>=_[0])||e[e.length-1],l,c,u,h,f,m;return n.map(_=>{let v=i(_),d=v.getFullYear(),p=v.getMonth(),y=v.getDate(),S=v.getHours(),w=v.getMinutes(),H=v.getSeconds(),T=d!=l&&a[2]||p!=c&&a[3]||y!=u&&a[4]||S!=h&&a[5]||w!=f&&a[6]||H!=m&&a[7]||a[1];return l=d,c=p,u=y,h=S,f=w,m=H,T(v)})}}function NS(i,e){let t=pc(e);return(n,s,r,o,a)=>s.map(l=>t(i(l)))}function El(i,e,t){return new Date(i,e,t)}function jh(i,e){return e(i)}const OS="{YYYY}-{MM}-{DD} {h}:{mm}{aa}";function Zh(i,e){return(t,n,s,r)=>r==null?lc:e(i(n))}function FS(i,e){let t=i.series[e];return t.width?t.stroke(i,e):t.points.width?t.points.stroke(i,e):null}function kS(i,e){return i.series[e].fill(i,e)}const BS={show:!0,live:!0,isolate:!1,mount:sS,markers:{show:!0,width:2,stroke:FS,fill:kS,dash:"solid"},idx:null,idxs:null,values:[]};function zS(i,e){let t=i.cursor.points,n=Xn(),s=t.size(i,e);Ct(n,Wr,s),Ct(n,Xr,s);let r=s/-2;Ct(n,"marginLeft",r),Ct(n,"marginTop",r);let o=t.width(i,e,s);return o&&Ct(n,"borderWidth",o),n}function HS(i,e){let t=i.series[e].points;return t._fill||t._stroke}function VS(i,e){let t=i.series[e].points;return t._stroke||t._fill}function GS(i,e){return i.series[e].points.size}const bl=[0,0];function WS(i,e,t){return bl[0]=e,bl[1]=t,bl}function Bo(i,e,t,n=!0){return s=>{s.button==0&&(!n||s.target==e)&&t(s)}}function wl(i,e,t,n=!0){return s=>{(!n||s.target==e)&&t(s)}}const XS={show:!0,x:!0,y:!0,lock:!1,move:WS,points:{one:!1,show:zS,size:GS,width:0,stroke:VS,fill:HS},bind:{mousedown:Bo,mouseup:Bo,click:Bo,dblclick:Bo,mousemove:wl,mouseleave:wl,mouseenter:wl},drag:{setScale:!0,x:!0,y:!1,dist:0,uni:null,click:(i,e)=>{e.stopPropagation(),e.stopImmediatePropagation()},_x:!1,_y:!1},focus:{dist:(i,e,t,n,s)=>n-s,prox:-1,bias:0},hover:{skip:[void 0],prox:null,bias:0},left:-10,top:-10,idx:null,dataIdx:null,idxs:null,event:null},Td={show:!0,stroke:"rgba(0,0,0,0.07)",width:2},gc=Xt({},Td,{filter:fd}),Ad=Xt({},gc,{size:10}),Rd=Xt({},Td,{show:!1}),_c='12px system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, "Noto Sans", sans-serif, "Apple Color Emoji", "Segoe UI Emoji", "Segoe UI Symbol", "Noto Color Emoji"',Cd="bold "+_c,Pd=1.5,Jh={show:!0,scale:"x",stroke:ac,space:50,gap:5,alignTo:1,size:50,labelGap:0,labelSize:30,labelFont:Cd,side:2,grid:gc,ticks:Ad,border:Rd,font:_c,lineGap:Pd,rotate:0},$S="Value",YS="Time",Qh={show:!0,scale:"x",auto:!1,sorted:1,min:yt,max:-yt,idxs:[]};function qS(i,e,t,n,s){return e.map(r=>r==null?"":fc(r))}function KS(i,e,t,n,s,r,o){let a=[],l=is.get(s)||0;t=o?t:Et(pa(t,s),l);for(let c=t;c<=n;c=Et(c+s,l))a.push(Object.is(c,-0)?0:c);return a}function Xl(i,e,t,n,s,r,o){const a=[],l=i.scales[i.axes[e].scale].log,c=l==10?Ui:cd,u=Bn(c(t));s=xr(l,u),l==10&&(s=ms[si(s,ms)]);let h=t,f=s*l;l==10&&(f=ms[si(f,ms)]);do a.push(h),h=h+s,l==10&&!is.has(h)&&(h=Et(h,is.get(s))),h>=f&&(s=h,f=s*l,l==10&&(f=ms[si(f,ms)]));while(h<=n);return a}function jS(i,e,t,n,s,r,o){let l=i.scales[i.axes[e].scale].asinh,c=n>l?Xl(i,e,Sn(l,t),n,s):[l],u=n>=0&&t<=0?[0]:[];return(t<-l?Xl(i,e,Sn(l,-n),-t,s):[l]).reverse().map(f=>-f).concat(u,c)}const Ld=/./,ZS=/[12357]/,JS=/[125]/,ef=/1/,$l=(i,e,t,n)=>i.map((s,r)=>e==4&&s==0||r%n==0&&t.test(s.toExponential()[s<0?1:0])?s:null);function QS(i,e,t,n,s){let r=i.axes[t],o=r.scale,a=i.scales[o],l=i.valToPos,c=r._space,u=l(10,o),h=l(9,o)-u>=c?Ld:l(7,o)-u>=c?ZS:l(5,o)-u>=c?JS:ef;if(h==ef){let f=qt(l(1,o)-u);if(f<c)return $l(e.slice().reverse(),a.distr,h,$n(c/f)).reverse()}return $l(e,a.distr,h,1)}function ey(i,e,t,n,s){let r=i.axes[t],o=r.scale,a=r._space,l=i.valToPos,c=qt(l(1,o)-l(2,o));return c<a?$l(e.slice().reverse(),3,Ld,$n(a/c)).reverse():e}function ty(i,e,t,n){return n==null?lc:e==null?"":fc(e)}const tf={show:!0,scale:"y",stroke:ac,space:30,gap:5,alignTo:1,size:50,labelGap:0,labelSize:30,labelFont:Cd,side:3,grid:gc,ticks:Ad,border:Rd,font:_c,lineGap:Pd,rotate:0};function ny(i,e){let t=3+(i||1)*2;return Et(t*e,3)}function iy(i,e){let{scale:t,idxs:n}=i.series[0],s=i._data[0],r=i.valToPos(s[n[0]],t,!0),o=i.valToPos(s[n[1]],t,!0),a=qt(o-r),l=i.series[e],c=a/(l.points.space*mt);return n[1]-n[0]<=c}const nf={scale:null,auto:!0,sorted:0,min:yt,max:-yt},Dd=(i,e,t,n,s)=>s,sf={show:!0,auto:!0,sorted:0,gaps:Dd,alpha:1,facets:[Xt({},nf,{scale:"x"}),Xt({},nf,{scale:"y"})]},rf={scale:"y",auto:!0,sorted:0,show:!0,spanGaps:!1,gaps:Dd,alpha:1,points:{show:iy,filter:null},values:null,min:yt,max:-yt,idxs:[],path:null,clip:null};function sy(i,e,t,n,s){return t/10}const Ud={time:CM,auto:!0,distr:1,log:10,asinh:1,min:null,max:null,dir:1,ori:0},ry=Xt({},Ud,{time:!1,ori:1}),of={};function Id(i,e){let t=of[i];return t||(t={key:i,plots:[],sub(n){t.plots.push(n)},unsub(n){t.plots=t.plots.filter(s=>s!=n)},pub(n,s,r,o,a,l,c){for(let u=0;u<t.plots.length;u++)t.plots[u]!=s&&t.plots[u].pub(n,s,r,o,a,l,c)}},i!=null&&(of[i]=t)),t}const yr=1,Yl=2;function Cs(i,e,t){const n=i.mode,s=i.series[e],r=n==2?i._data[e]:i._data,o=i.scales,a=i.bbox;let l=r[0],c=n==2?r[1]:r[e],u=n==2?o[s.facets[0].scale]:o[i.series[0].scale],h=n==2?o[s.facets[1].scale]:o[s.scale],f=a.left,m=a.top,_=a.width,v=a.height,d=i.valToPosH,p=i.valToPosV;return u.ori==0?t(s,l,c,u,h,d,p,f,m,_,v,_a,wr,xa,Od,kd):t(s,l,c,u,h,p,d,m,f,v,_,va,Tr,Mc,Fd,Bd)}function vc(i,e){let t=0,n=0,s=dt(i.bands,dc);for(let r=0;r<s.length;r++){let o=s[r];o.series[0]==e?t=o.dir:o.series[1]==e&&(o.dir==1?n|=1:n|=2)}return[t,n==1?-1:n==2?1:n==3?2:0]}function oy(i,e,t,n,s){let r=i.mode,o=i.series[e],a=r==2?o.facets[1].scale:o.scale,l=i.scales[a];return s==-1?l.min:s==1?l.max:l.distr==3?l.dir==1?l.min:l.max:0}function Ii(i,e,t,n,s,r){return Cs(i,e,(o,a,l,c,u,h,f,m,_,v,d)=>{let p=o.pxRound;const y=c.dir*(c.ori==0?1:-1),S=c.ori==0?wr:Tr;let w,H;y==1?(w=t,H=n):(w=n,H=t);let T=p(h(a[w],c,v,m)),R=p(f(l[w],u,d,_)),z=p(h(a[H],c,v,m)),b=p(f(r==1?u.max:u.min,u,d,_)),x=new Path2D(s);return S(x,z,b),S(x,T,b),S(x,T,R),x})}function ga(i,e,t,n,s,r){let o=null;if(i.length>0){o=new Path2D;const a=e==0?xa:Mc;let l=t;for(let h=0;h<i.length;h++){let f=i[h];if(f[1]>f[0]){let m=f[0]-l;m>0&&a(o,l,n,m,n+r),l=f[1]}}let c=t+s-l,u=10;c>0&&a(o,l,n-u/2,c,n+r+u)}return o}function ay(i,e,t){let n=i[i.length-1];n&&n[0]==e?n[1]=t:i.push([e,t])}function xc(i,e,t,n,s,r,o){let a=[],l=i.length;for(let c=s==1?t:n;c>=t&&c<=n;c+=s)if(e[c]===null){let h=c,f=c;if(s==1)for(;++c<=n&&e[c]===null;)f=c;else for(;--c>=t&&e[c]===null;)f=c;let m=r(i[h]),_=f==h?m:r(i[f]),v=h-s;m=o<=0&&v>=0&&v<l?r(i[v]):m;let p=f+s;_=o>=0&&p>=0&&p<l?r(i[p]):_,_>=m&&a.push([m,_])}return a}function af(i){return i==0?hd:i==1?Yt:e=>ps(e,i)}function Nd(i){let e=i==0?_a:va,t=i==0?(s,r,o,a,l,c)=>{s.arcTo(r,o,a,l,c)}:(s,r,o,a,l,c)=>{s.arcTo(o,r,l,a,c)},n=i==0?(s,r,o,a,l)=>{s.rect(r,o,a,l)}:(s,r,o,a,l)=>{s.rect(o,r,l,a)};return(s,r,o,a,l,c=0,u=0)=>{c==0&&u==0?n(s,r,o,a,l):(c=ai(c,a/2,l/2),u=ai(u,a/2,l/2),e(s,r+c,o),t(s,r+a,o,r+a,o+l,c),t(s,r+a,o+l,r,o+l,u),t(s,r,o+l,r,o,u),t(s,r,o,r+a,o,c),s.closePath())}}const _a=(i,e,t)=>{i.moveTo(e,t)},va=(i,e,t)=>{i.moveTo(t,e)},wr=(i,e,t)=>{i.lineTo(e,t)},Tr=(i,e,t)=>{i.lineTo(t,e)},xa=Nd(0),Mc=Nd(1),Od=(i,e,t,n,s,r)=>{i.arc(e,t,n,s,r)},Fd=(i,e,t,n,s,r)=>{i.arc(t,e,n,s,r)},kd=(i,e,t,n,s,r,o)=>{i.bezierCurveTo(e,t,n,s,r,o)},Bd=(i,e,t,n,s,r,o)=>{i.bezierCurveTo(t,e,s,n,o,r)};function zd(i){return(e,t,n,s,r)=>Cs(e,t,(o,a,l,c,u,h,f,m,_,v,d)=>{let{pxRound:p,points:y}=o,S,w;c.ori==0?(S=_a,w=Od):(S=va,w=Fd);const H=Et(y.width*mt,3);let T=(y.size-y.width)/2*mt,R=Et(T*2,3),z=new Path2D,b=new Path2D,{left:x,top:N,width:G,height:U}=e.bbox;xa(b,x-R,N-R,G+R*2,U+R*2);const j=X=>{if(l[X]!=null){let ie=p(h(a[X],c,v,m)),ee=p(f(l[X],u,d,_));S(z,ie+T,ee),w(z,ie,ee,T,0,Wo*2)}};if(r)r.forEach(j);else for(let X=n;X<=s;X++)j(X);return{stroke:H>0?z:null,fill:z,clip:b,flags:yr|Yl}})}function Hd(i){return(e,t,n,s,r,o)=>{n!=s&&(r!=n&&o!=n&&i(e,t,n),r!=s&&o!=s&&i(e,t,s),i(e,t,o))}}const ly=Hd(wr),cy=Hd(Tr);function Vd(i){const e=dt(i?.alignGaps,0);return(t,n,s,r)=>Cs(t,n,(o,a,l,c,u,h,f,m,_,v,d)=>{[s,r]=fa(l,s,r);let p=o.pxRound,y=U=>p(h(U,c,v,m)),S=U=>p(f(U,u,d,_)),w,H;c.ori==0?(w=wr,H=ly):(w=Tr,H=cy);const T=c.dir*(c.ori==0?1:-1),R={stroke:new Path2D,fill:null,clip:null,band:null,gaps:null,flags:yr},z=R.stroke;let b=!1;if(r-s>=v*4){let U=V=>t.posToVal(V,c.key,!0),j=null,X=null,ie,ee,te,K=y(a[T==1?s:r]),Y=y(a[s]),fe=y(a[r]),P=U(T==1?Y+1:fe-1);for(let V=T==1?s:r;V>=s&&V<=r;V+=T){let I=a[V],le=(T==1?I<P:I>P)?K:y(I),B=l[V];le==K?B!=null?(ee=B,j==null?(w(z,le,S(ee)),ie=j=X=ee):ee<j?j=ee:ee>X&&(X=ee)):B===null&&(b=!0):(j!=null&&H(z,K,S(j),S(X),S(ie),S(ee)),B!=null?(ee=B,w(z,le,S(ee)),j=X=ie=ee):(j=X=null,B===null&&(b=!0)),K=le,P=U(K+T))}j!=null&&j!=X&&te!=K&&H(z,K,S(j),S(X),S(ie),S(ee))}else for(let U=T==1?s:r;U>=s&&U<=r;U+=T){let j=l[U];j===null?b=!0:j!=null&&w(z,y(a[U]),S(j))}let[N,G]=vc(t,n);if(o.fill!=null||N!=0){let U=R.fill=new Path2D(z),j=o.fillTo(t,n,o.min,o.max,N),X=S(j),ie=y(a[s]),ee=y(a[r]);T==-1&&([ee,ie]=[ie,ee]),w(U,ee,X),w(U,ie,X)}if(!o.spanGaps){let U=[];b&&U.push(...xc(a,l,s,r,T,y,e)),R.gaps=U=o.gaps(t,n,s,r,U),R.clip=ga(U,c.ori,m,_,v,d)}return G!=0&&(R.band=G==2?[Ii(t,n,s,r,z,-1),Ii(t,n,s,r,z,1)]:Ii(t,n,s,r,z,G)),R})}function uy(i){const e=dt(i.align,1),t=dt(i.ascDesc,!1),n=dt(i.alignGaps,0),s=dt(i.extend,!1);return(r,o,a,l)=>Cs(r,o,(c,u,h,f,m,_,v,d,p,y,S)=>{[a,l]=fa(h,a,l);let w=c.pxRound,{left:H,width:T}=r.bbox,R=Y=>w(_(Y,f,y,d)),z=Y=>w(v(Y,m,S,p)),b=f.ori==0?wr:Tr;const x={stroke:new Path2D,fill:null,clip:null,band:null,gaps:null,flags:yr},N=x.stroke,G=f.dir*(f.ori==0?1:-1);let U=z(h[G==1?a:l]),j=R(u[G==1?a:l]),X=j,ie=j;s&&e==-1&&(ie=H,b(N,ie,U)),b(N,j,U);for(let Y=G==1?a:l;Y>=a&&Y<=l;Y+=G){let fe=h[Y];if(fe==null)continue;let P=R(u[Y]),V=z(fe);e==1?b(N,P,U):b(N,X,V),b(N,P,V),U=V,X=P}let ee=X;s&&e==1&&(ee=H+T,b(N,ee,U));let[te,K]=vc(r,o);if(c.fill!=null||te!=0){let Y=x.fill=new Path2D(N),fe=c.fillTo(r,o,c.min,c.max,te),P=z(fe);b(Y,ee,P),b(Y,ie,P)}if(!c.spanGaps){let Y=[];Y.push(...xc(u,h,a,l,G,R,n));let fe=c.width*mt/2,P=t||e==1?fe:-fe,V=t||e==-1?-fe:fe;Y.forEach(I=>{I[0]+=P,I[1]+=V}),x.gaps=Y=c.gaps(r,o,a,l,Y),x.clip=ga(Y,f.ori,d,p,y,S)}return K!=0&&(x.band=K==2?[Ii(r,o,a,l,N,-1),Ii(r,o,a,l,N,1)]:Ii(r,o,a,l,N,K)),x})}function lf(i,e,t,n,s,r,o=yt){if(i.length>1){let a=null;for(let l=0,c=1/0;l<i.length;l++)if(e[l]!==void 0){if(a!=null){let u=qt(i[l]-i[a]);u<c&&(c=u,o=qt(t(i[l],n,s,r)-t(i[a],n,s,r)))}a=l}}return o}function hy(i){i=i||jr;const e=dt(i.size,[.6,yt,1]),t=i.align||0,n=i.gap||0;let s=i.radius;s=s==null?[0,0]:typeof s=="number"?[s,0]:s;const r=at(s),o=1-e[0],a=dt(e[1],yt),l=dt(e[2],1),c=dt(i.disp,jr),u=dt(i.each,m=>{}),{fill:h,stroke:f}=c;return(m,_,v,d)=>Cs(m,_,(p,y,S,w,H,T,R,z,b,x,N)=>{let G=p.pxRound,U=t,j=n*mt,X=a*mt,ie=l*mt,ee,te;w.ori==0?[ee,te]=r(m,_):[te,ee]=r(m,_);const K=w.dir*(w.ori==0?1:-1);let Y=w.ori==0?xa:Mc,fe=w.ori==0?u:(de,Se,Ee,Xe,we,ke,Qe)=>{u(de,Se,Ee,we,Xe,Qe,ke)},P=dt(m.bands,dc).find(de=>de.series[0]==_),V=P!=null?P.dir:0,I=p.fillTo(m,_,p.min,p.max,V),Z=G(R(I,H,N,b)),le,B,se,q=x,F=G(p.width*mt),ve=!1,ge=null,Re=null,Me=null,Ce=null;h!=null&&(F==0||f!=null)&&(ve=!0,ge=h.values(m,_,v,d),Re=new Map,new Set(ge).forEach(de=>{de!=null&&Re.set(de,new Path2D)}),F>0&&(Me=f.values(m,_,v,d),Ce=new Map,new Set(Me).forEach(de=>{de!=null&&Ce.set(de,new Path2D)})));let{x0:Ne,size:qe}=c;if(Ne!=null&&qe!=null){U=1,y=Ne.values(m,_,v,d),Ne.unit==2&&(y=y.map(Ee=>m.posToVal(z+Ee*x,w.key,!0)));let de=qe.values(m,_,v,d);qe.unit==2?B=de[0]*x:B=T(de[0],w,x,z)-T(0,w,x,z),q=lf(y,S,T,w,x,z,q),se=q-B+j}else q=lf(y,S,T,w,x,z,q),se=q*o+j,B=q-se;se<1&&(se=0),F>=B/2&&(F=0),se<5&&(G=hd);let _t=se>0,k=q-se-(_t?F:0);B=G(Wl(k,ie,X)),le=(U==0?B/2:U==K?0:B)-U*K*((U==0?j/2:0)+(_t?F/2:0));const A={stroke:null,fill:null,clip:null,band:null,gaps:null,flags:0},ce=ve?null:new Path2D;let pe=null;if(P!=null)pe=m.data[P.series[1]];else{let{y0:de,y1:Se}=c;de!=null&&Se!=null&&(S=Se.values(m,_,v,d),pe=de.values(m,_,v,d))}let xe=ee*B,he=te*B;for(let de=K==1?v:d;de>=v&&de<=d;de+=K){let Se=S[de];if(Se==null)continue;if(pe!=null){let Ve=pe[de]??0;if(Se-Ve==0)continue;Z=R(Ve,H,N,b)}let Ee=w.distr!=2||c!=null?y[de]:de,Xe=T(Ee,w,x,z),we=R(dt(Se,I),H,N,b),ke=G(Xe-le),Qe=G(Sn(we,Z)),Be=G(ai(we,Z)),Pe=Qe-Be;if(Se!=null){let Ve=Se<0?he:xe,$e=Se<0?xe:he;ve?(F>0&&Me[de]!=null&&Y(Ce.get(Me[de]),ke,Be+Bn(F/2),B,Sn(0,Pe-F),Ve,$e),ge[de]!=null&&Y(Re.get(ge[de]),ke,Be+Bn(F/2),B,Sn(0,Pe-F),Ve,$e)):Y(ce,ke,Be+Bn(F/2),B,Sn(0,Pe-F),Ve,$e),fe(m,_,de,ke-F/2,Be,B+F,Pe)}}return F>0?A.stroke=ve?Ce:ce:ve||(A._fill=p.width==0?p._fill:p._stroke??p._fill,A.width=0),A.fill=ve?Re:ce,A})}function fy(i,e){const t=dt(e?.alignGaps,0);return(n,s,r,o)=>Cs(n,s,(a,l,c,u,h,f,m,_,v,d,p)=>{[r,o]=fa(c,r,o);let y=a.pxRound,S=ee=>y(f(ee,u,d,_)),w=ee=>y(m(ee,h,p,v)),H,T,R;u.ori==0?(H=_a,R=wr,T=kd):(H=va,R=Tr,T=Bd);const z=u.dir*(u.ori==0?1:-1);let b=S(l[z==1?r:o]),x=b,N=[],G=[];for(let ee=z==1?r:o;ee>=r&&ee<=o;ee+=z)if(c[ee]!=null){let K=l[ee],Y=S(K);N.push(x=Y),G.push(w(c[ee]))}const U={stroke:i(N,G,H,R,T,y),fill:null,clip:null,band:null,gaps:null,flags:yr},j=U.stroke;let[X,ie]=vc(n,s);if(a.fill!=null||X!=0){let ee=U.fill=new Path2D(j),te=a.fillTo(n,s,a.min,a.max,X),K=w(te);R(ee,x,K),R(ee,b,K)}if(!a.spanGaps){let ee=[];ee.push(...xc(l,c,r,o,z,S,t)),U.gaps=ee=a.gaps(n,s,r,o,ee),U.clip=ga(ee,u.ori,_,v,d,p)}return ie!=0&&(U.band=ie==2?[Ii(n,s,r,o,j,-1),Ii(n,s,r,o,j,1)]:Ii(n,s,r,o,j,ie)),U})}function dy(i){return fy(py,i)}function py(i,e,t,n,s,r){const o=i.length;if(o<2)return null;const a=new Path2D;if(t(a,i[0],e[0]),o==2)n(a,i[1],e[1]);else{let l=Array(o),c=Array(o-1),u=Array(o-1),h=Array(o-1);for(let f=0;f<o-1;f++)u[f]=e[f+1]-e[f],h[f]=i[f+1]-i[f],c[f]=u[f]/h[f];l[0]=c[0];for(let f=1;f<o-1;f++)c[f]===0||c[f-1]===0||c[f-1]>0!=c[f]>0?l[f]=0:(l[f]=3*(h[f-1]+h[f])/((2*h[f]+h[f-1])/c[f-1]+(h[f]+2*h[f-1])/c[f]),isFinite(l[f])||(l[f]=0));l[o-1]=c[o-2];for(let f=0;f<o-1;f++)s(a,i[f]+h[f]/3,e[f]+l[f]*h[f]/3,i[f+1]-h[f]/3,e[f+1]-l[f+1]*h[f]/3,i[f+1],e[f+1])}return a}const ql=new Set;function cf(){for(let i of ql)i.syncRect(!0)}br&&(Es(qM,dr,cf),Es(KM,dr,cf,!0),Es(ea,dr,()=>{pn.pxRatio=mt}));const my=Vd(),gy=zd();function uf(i,e,t,n){return(n?[i[0],i[1]].concat(i.slice(2)):[i[0]].concat(i.slice(1))).map((r,o)=>Kl(r,o,e,t))}function _y(i,e){return i.map((t,n)=>n==0?{}:Xt({},e,t))}function Kl(i,e,t,n){return Xt({},e==0?t:n,i)}function Gd(i,e,t){return e==null?Mr:[e,t]}const vy=Gd;function xy(i,e,t){return e==null?Mr:ta(e,t,hc,!0)}function Wd(i,e,t,n){return e==null?Mr:da(e,t,i.scales[n].log,!1)}const My=Wd;function Xd(i,e,t,n){return e==null?Mr:uc(e,t,i.scales[n].log,!1)}const Sy=Xd;function yy(i,e,t,n,s){let r=Sn(Hh(i),Hh(e)),o=e-i,a=si(s/n*o,t);do{let l=t[a],c=n*l/o;if(c>=s&&r+(l<5?is.get(l):0)<=17)return[l,c]}while(++a<t.length);return[0,0]}function hf(i){let e,t;return i=i.replace(/(\d+)px/,(n,s)=>(e=Yt((t=+s)*mt))+"px"),[i,e,t]}function Ey(i){i.show&&[i.font,i.labelFont].forEach(e=>{let t=Et(e[2]*mt,1);e[0]=e[0].replace(/[0-9.]+px/,t+"px"),e[1]=t})}function pn(i,e,t){const n={mode:dt(i.mode,1)},s=n.mode;function r(g,E,L,O){let W=E.valToPct(g);return O+L*(E.dir==-1?1-W:W)}function o(g,E,L,O){let W=E.valToPct(g);return O+L*(E.dir==-1?W:1-W)}function a(g,E,L,O){return E.ori==0?r(g,E,L,O):o(g,E,L,O)}n.valToPosH=r,n.valToPosV=o;let l=!1;n.status=0;const c=n.root=Xn(PM);if(i.id!=null&&(c.id=i.id),In(c,i.class),i.title){let g=Xn(UM,c);g.textContent=i.title}const u=ii("canvas"),h=n.ctx=u.getContext("2d"),f=Xn(IM,c);Es("click",f,g=>{g.target===_&&(Tt!=Fs||Dt!=ks)&&on.click(n,g)},!0);const m=n.under=Xn(NM,f);f.appendChild(u);const _=n.over=Xn(OM,f);i=Sr(i);const v=+dt(i.pxAlign,1),d=af(v);(i.plugins||[]).forEach(g=>{g.opts&&(i=g.opts(n,i)||i)});const p=i.ms||.001,y=n.series=s==1?uf(i.series||[],Qh,rf,!1):_y(i.series||[null],sf),S=n.axes=uf(i.axes||[],Jh,tf,!0),w=n.scales={},H=n.bands=i.bands||[];H.forEach(g=>{g.fill=at(g.fill||null),g.dir=dt(g.dir,-1)});const T=s==2?y[1].facets[0].scale:y[0].scale,R={axes:ep,series:ya},z=(i.drawOrder||["axes","series"]).map(g=>R[g]);function b(g){const E=g.distr==3?L=>Ui(L>0?L:g.clamp(n,L,g.min,g.max,g.key)):g.distr==4?L=>yl(L,g.asinh):g.distr==100?L=>g.fwd(L):L=>L;return L=>{let O=E(L),{_min:W,_max:ne}=g,me=ne-W;return(O-W)/me}}function x(g){let E=w[g];if(E==null){let L=(i.scales||jr)[g]||jr;if(L.from!=null){x(L.from);let O=Xt({},w[L.from],L,{key:g});O.valToPct=b(O),w[g]=O}else{E=w[g]=Xt({},g==T?Ud:ry,L),E.key=g;let O=E.time,W=E.range,ne=ji(W);if((g!=T||s==2&&!O)&&(ne&&(W[0]==null||W[1]==null)&&(W={min:W[0]==null?kh:{mode:1,hard:W[0],soft:W[0]},max:W[1]==null?kh:{mode:1,hard:W[1],soft:W[1]}},ne=!1),!ne&&ma(W))){let me=W;W=(ye,Te,Ie)=>Te==null?Mr:ta(Te,Ie,me)}E.range=at(W||(O?vy:g==T?E.distr==3?My:E.distr==4?Sy:Gd:E.distr==3?Wd:E.distr==4?Xd:xy)),E.auto=at(ne?!1:E.auto),E.clamp=at(E.clamp||sy),E._min=E._max=null,E.valToPct=b(E)}}}x("x"),x("y"),s==1&&y.forEach(g=>{x(g.scale)}),S.forEach(g=>{x(g.scale)});for(let g in i.scales)x(g);const N=w[T],G=N.distr;let U,j;N.ori==0?(In(c,LM),U=r,j=o):(In(c,DM),U=o,j=r);const X={};for(let g in w){let E=w[g];(E.min!=null||E.max!=null)&&(X[g]={min:E.min,max:E.max},E.min=E.max=null)}const ie=i.tzDate||(g=>new Date(Yt(g/p))),ee=i.fmtDate||pc,te=p==1?LS(ie):IS(ie),K=Kh(ie,qh(p==1?PS:US,ee)),Y=Zh(ie,jh(OS,ee)),fe=[],P=n.legend=Xt({},BS,i.legend),V=n.cursor=Xt({},XS,{drag:{y:s==2}},i.cursor),I=P.show,Z=V.show,le=P.markers;P.idxs=fe,le.width=at(le.width),le.dash=at(le.dash),le.stroke=at(le.stroke),le.fill=at(le.fill);let B,se,q,F=[],ve=[],ge,Re=!1,Me={};if(P.live){const g=y[1]?y[1].values:null;Re=g!=null,ge=Re?g(n,1,0):{_:0};for(let E in ge)Me[E]=lc}if(I)if(B=ii("table",VM,c),q=ii("tbody",null,B),P.mount(n,B),Re){se=ii("thead",null,B,q);let g=ii("tr",null,se);ii("th",null,g);for(var Ce in ge)ii("th",wh,g).textContent=Ce}else In(B,WM),P.live&&In(B,GM);const Ne={show:!0},qe={show:!1};function _t(g,E){if(E==0&&(Re||!P.live||s==2))return Mr;let L=[],O=ii("tr",XM,q,q.childNodes[E]);In(O,g.class),g.show||In(O,xs);let W=ii("th",null,O);if(le.show){let ye=Xn($M,W);if(E>0){let Te=le.width(n,E);Te&&(ye.style.border=Te+"px "+le.dash(n,E)+" "+le.stroke(n,E)),ye.style.background=le.fill(n,E)}}let ne=Xn(wh,W);g.label instanceof HTMLElement?ne.appendChild(g.label):ne.textContent=g.label,E>0&&(le.show||(ne.style.color=g.width>0?le.stroke(n,E):le.fill(n,E)),A("click",W,ye=>{if(V._lock)return;ut(ye);let Te=y.indexOf(g);if((ye.ctrlKey||ye.metaKey)!=P.isolate){let Ie=y.some((Oe,Fe)=>Fe>0&&Fe!=Te&&Oe.show);y.forEach((Oe,Fe)=>{Fe>0&&li(Fe,Ie?Fe==Te?Ne:qe:Ne,!0,Gt.setSeries)})}else li(Te,{show:!g.show},!0,Gt.setSeries)},!1),mn&&A(Ch,W,ye=>{V._lock||(ut(ye),li(y.indexOf(g),zs,!0,Gt.setSeries))},!1));for(var me in ge){let ye=ii("td",YM,O);ye.textContent="--",L.push(ye)}return[O,L]}const k=new Map;function A(g,E,L,O=!0){const W=k.get(E)||{},ne=V.bind[g](n,E,L,O);ne&&(Es(g,E,W[g]=ne),k.set(E,W))}function ce(g,E,L){const O=k.get(E)||{};for(let W in O)(g==null||W==g)&&(Gl(W,E,O[W]),delete O[W]);g==null&&k.delete(E)}let pe=0,xe=0,he=0,de=0,Se=0,Ee=0,Xe=Se,we=Ee,ke=he,Qe=de,Be=0,Pe=0,Ve=0,$e=0;n.bbox={};let ht=!1,Ze=!1,M=!1,J=!1,re=!1,_e=!1;function Ae(g,E,L){(L||g!=n.width||E!=n.height)&&et(g,E),Us(!1),M=!0,Ze=!0,Is()}function et(g,E){n.width=pe=he=g,n.height=xe=de=E,Se=Ee=0,lt(),It();let L=n.bbox;Be=L.left=ps(Se*mt,.5),Pe=L.top=ps(Ee*mt,.5),Ve=L.width=ps(he*mt,.5),$e=L.height=ps(de*mt,.5)}const it=3;function bt(){let g=!1,E=0;for(;!g;){E++;let L=Jd(E),O=Qd(E);g=E==it||L&&O,g||(et(n.width,n.height),Ze=!0)}}function zt({width:g,height:E}){Ae(g,E)}n.setSize=zt;function lt(){let g=!1,E=!1,L=!1,O=!1;S.forEach((W,ne)=>{if(W.show&&W._show){let{side:me,_size:ye}=W,Te=me%2,Ie=W.label!=null?W.labelSize:0,Oe=ye+Ie;Oe>0&&(Te?(he-=Oe,me==3?(Se+=Oe,O=!0):L=!0):(de-=Oe,me==0?(Ee+=Oe,g=!0):E=!0))}}),C[0]=g,C[1]=L,C[2]=E,C[3]=O,he-=oe[1]+oe[3],Se+=oe[3],de-=oe[2]+oe[0],Ee+=oe[0]}function It(){let g=Se+he,E=Ee+de,L=Se,O=Ee;function W(ne,me){switch(ne){case 1:return g+=me,g-me;case 2:return E+=me,E-me;case 3:return L-=me,L+me;case 0:return O-=me,O+me}}S.forEach((ne,me)=>{if(ne.show&&ne._show){let ye=ne.side;ne._pos=W(ye,ne._size),ne.label!=null&&(ne._lpos=W(ye,ne.labelSize))}})}if(V.dataIdx==null){let g=V.hover,E=g.skip=new Set(g.skip??[]);E.add(void 0);let L=g.prox=at(g.prox),O=g.bias??=0;V.dataIdx=(W,ne,me,ye)=>{if(ne==0)return me;let Te=me,Ie=L(W,ne,me,ye)??yt,Oe=Ie>=0&&Ie<yt,Fe=N.ori==0?he:de,Je=V.left,pt=e[0],ft=e[ne];if(E.has(ft[me])){Te=null;let ot=null,Ye=null,He;if(O==0||O==-1)for(He=me;ot==null&&He-- >0;)E.has(ft[He])||(ot=He);if(O==0||O==1)for(He=me;Ye==null&&He++<ft.length;)E.has(ft[He])||(Ye=He);if(ot!=null||Ye!=null)if(Oe){let Rt=ot==null?-1/0:U(pt[ot],N,Fe,0),Nt=Ye==null?1/0:U(pt[Ye],N,Fe,0),nn=Je-Rt,Mt=Nt-Je;nn<=Mt?nn<=Ie&&(Te=ot):Mt<=Ie&&(Te=Ye)}else Te=Ye==null?ot:ot==null?Ye:me-ot<=Ye-me?ot:Ye}else Oe&&qt(Je-U(pt[me],N,Fe,0))>Ie&&(Te=null);return Te}}const ut=g=>{V.event=g};V.idxs=fe,V._lock=!1;let wt=V.points;wt.show=at(wt.show),wt.size=at(wt.size),wt.stroke=at(wt.stroke),wt.width=at(wt.width),wt.fill=at(wt.fill);const Ut=n.focus=Xt({},i.focus||{alpha:.3},V.focus),mn=Ut.prox>=0,hn=mn&&wt.one;let Jt=[],Kn=[],Si=[];function Ar(g,E){let L=wt.show(n,E);if(L instanceof HTMLElement)return In(L,HM),In(L,g.class),fi(L,-10,-10,he,de),_.insertBefore(L,Jt[E]),L}function ro(g,E){if(s==1||E>0){let L=s==1&&w[g.scale].time,O=g.value;g.value=L?Wh(O)?Zh(ie,jh(O,ee)):O||Y:O||ty,g.label=g.label||(L?YS:$S)}if(hn||E>0){g.width=g.width==null?1:g.width,g.paths=g.paths||my||rS,g.fillTo=at(g.fillTo||oy),g.pxAlign=+dt(g.pxAlign,v),g.pxRound=af(g.pxAlign),g.stroke=at(g.stroke||null),g.fill=at(g.fill||null),g._stroke=g._fill=g._paths=g._focus=null;let L=ny(Sn(1,g.width),1),O=g.points=Xt({},{size:L,width:Sn(1,L*.2),stroke:g.stroke,space:L*2,paths:gy,_stroke:null,_fill:null},g.points);O.show=at(O.show),O.filter=at(O.filter),O.fill=at(O.fill),O.stroke=at(O.stroke),O.paths=at(O.paths),O.pxAlign=g.pxAlign}if(I){let L=_t(g,E);F.splice(E,0,L[0]),ve.splice(E,0,L[1]),P.values.push(null)}if(Z){fe.splice(E,0,null);let L=null;hn?E==0&&(L=Ar(g,E)):E>0&&(L=Ar(g,E)),Jt.splice(E,0,L),Kn.splice(E,0,0),Si.splice(E,0,0)}tn("addSeries",E)}function Ma(g,E){E=E??y.length,g=s==1?Kl(g,E,Qh,rf):Kl(g,E,{},sf),y.splice(E,0,g),ro(y[E],E)}n.addSeries=Ma;function Sa(g){if(y.splice(g,1),I){P.values.splice(g,1),ve.splice(g,1);let E=F.splice(g,1)[0];ce(null,E.firstChild),E.remove()}Z&&(fe.splice(g,1),Jt.splice(g,1)[0].remove(),Kn.splice(g,1),Si.splice(g,1)),tn("delSeries",g)}n.delSeries=Sa;const C=[!1,!1,!1,!1];function Q(g,E){if(g._show=g.show,g.show){let L=g.side%2,O=w[g.scale];O==null&&(g.scale=L?y[1].scale:T,O=w[g.scale]);let W=O.time;g.size=at(g.size),g.space=at(g.space),g.rotate=at(g.rotate),ji(g.incrs)&&g.incrs.forEach(me=>{!is.has(me)&&is.set(me,pd(me))}),g.incrs=at(g.incrs||(O.distr==2?AS:W?p==1?CS:DS:ms)),g.splits=at(g.splits||(W&&O.distr==1?te:O.distr==3?Xl:O.distr==4?jS:KS)),g.stroke=at(g.stroke),g.grid.stroke=at(g.grid.stroke),g.ticks.stroke=at(g.ticks.stroke),g.border.stroke=at(g.border.stroke);let ne=g.values;g.values=ji(ne)&&!ji(ne[0])?at(ne):W?ji(ne)?Kh(ie,qh(ne,ee)):Wh(ne)?NS(ie,ne):ne||K:ne||qS,g.filter=at(g.filter||(O.distr>=3&&O.log==10?QS:O.distr==3&&O.log==2?ey:fd)),g.font=hf(g.font),g.labelFont=hf(g.labelFont),g._size=g.size(n,null,E,0),g._space=g._rotate=g._incrs=g._found=g._splits=g._values=null,g._size>0&&(C[E]=!0,g._el=Xn(FM,f))}}function ue(g,E,L,O){let[W,ne,me,ye]=L,Te=E%2,Ie=0;return Te==0&&(ye||ne)&&(Ie=E==0&&!W||E==2&&!me?Yt(Jh.size/3):0),Te==1&&(W||me)&&(Ie=E==1&&!ne||E==3&&!ye?Yt(tf.size/2):0),Ie}const ae=n.padding=(i.padding||[ue,ue,ue,ue]).map(g=>at(dt(g,ue))),oe=n._padding=ae.map((g,E)=>g(n,E,C,0));let be,Le=null,De=null;const We=s==1?y[0].idxs:null;let Ge=null,Ke=!1;function tt(g,E){if(e=g??[],n.data=n._data=e,s==2){be=0;for(let L=1;L<y.length;L++)be+=e[L][0].length}else{e.length==0&&(n.data=n._data=e=[[]]),Ge=e[0],be=Ge.length;let L=e;if(G==2){L=e.slice();let O=L[0]=Array(be);for(let W=0;W<be;W++)O[W]=W}n._data=e=L}if(Us(!0),tn("setData"),G==2&&(M=!0),E!==!1){let L=N;L.auto(n,Ke)?Lt():zi(T,L.min,L.max),J=J||V.left>=0,_e=!0,Is()}}n.setData=tt;function Lt(){Ke=!0;let g,E;s==1&&(be>0?(Le=We[0]=0,De=We[1]=be-1,g=e[0][Le],E=e[0][De],G==2?(g=Le,E=De):g==E&&(G==3?[g,E]=da(g,g,N.log,!1):G==4?[g,E]=uc(g,g,N.log,!1):N.time?E=g+Yt(86400/p):[g,E]=ta(g,E,hc,!0))):(Le=We[0]=g=null,De=We[1]=E=null)),zi(T,g,E)}let Ft,Ht,Rn,ct,je,yi,xt,jn,Ps,Vt;function Ls(g,E,L,O,W,ne){g??=Ah,L??=dc,O??="butt",W??=Ah,ne??="round",g!=Ft&&(h.strokeStyle=Ft=g),W!=Ht&&(h.fillStyle=Ht=W),E!=Rn&&(h.lineWidth=Rn=E),ne!=je&&(h.lineJoin=je=ne),O!=yi&&(h.lineCap=yi=O),L!=ct&&h.setLineDash(ct=L)}function $t(g,E,L,O){E!=Ht&&(h.fillStyle=Ht=E),g!=xt&&(h.font=xt=g),L!=jn&&(h.textAlign=jn=L),O!=Ps&&(h.textBaseline=Ps=O)}function Hn(g,E,L,O,W=0){if(O.length>0&&g.auto(n,Ke)&&(E==null||E.min==null)){let ne=dt(Le,0),me=dt(De,O.length-1),ye=L.min==null?QM(O,ne,me,W,g.distr==3):[L.min,L.max];g.min=ai(g.min,L.min=ye[0]),g.max=Sn(g.max,L.max=ye[1])}}const Ds={min:null,max:null};function yn(){for(let O in w){let W=w[O];X[O]==null&&(W.min==null||X[T]!=null&&W.auto(n,Ke))&&(X[O]=Ds)}for(let O in w){let W=w[O];X[O]==null&&W.from!=null&&X[W.from]!=null&&(X[O]=Ds)}X[T]!=null&&Us(!0);let g={};for(let O in X){let W=X[O];if(W!=null){let ne=g[O]=Sr(w[O],lS);if(W.min!=null)Xt(ne,W);else if(O!=T||s==2)if(be==0&&ne.from==null){let me=ne.range(n,null,null,O);ne.min=me[0],ne.max=me[1]}else ne.min=yt,ne.max=-yt}}if(be>0){y.forEach((O,W)=>{if(s==1){let ne=O.scale,me=X[ne];if(me==null)return;let ye=g[ne];if(W==0){let Te=ye.range(n,ye.min,ye.max,ne);ye.min=Te[0],ye.max=Te[1],Le=si(ye.min,e[0]),De=si(ye.max,e[0]),De-Le>1&&(e[0][Le]<ye.min&&Le++,e[0][De]>ye.max&&De--),O.min=Ge[Le],O.max=Ge[De]}else O.show&&O.auto&&Hn(ye,me,O,e[W],O.sorted);O.idxs[0]=Le,O.idxs[1]=De}else if(W>0&&O.show&&O.auto){let[ne,me]=O.facets,ye=ne.scale,Te=me.scale,[Ie,Oe]=e[W],Fe=g[ye],Je=g[Te];Fe!=null&&Hn(Fe,X[ye],ne,Ie,ne.sorted),Je!=null&&Hn(Je,X[Te],me,Oe,me.sorted),O.min=me.min,O.max=me.max}});for(let O in g){let W=g[O],ne=X[O];if(W.from==null&&(ne==null||ne.min==null)){let me=W.range(n,W.min==yt?null:W.min,W.max==-yt?null:W.max,O);W.min=me[0],W.max=me[1]}}}for(let O in g){let W=g[O];if(W.from!=null){let ne=g[W.from];if(ne.min==null)W.min=W.max=null;else{let me=W.range(n,ne.min,ne.max,O);W.min=me[0],W.max=me[1]}}}let E={},L=!1;for(let O in g){let W=g[O],ne=w[O];if(ne.min!=W.min||ne.max!=W.max){ne.min=W.min,ne.max=W.max;let me=ne.distr;ne._min=me==3?Ui(ne.min):me==4?yl(ne.min,ne.asinh):me==100?ne.fwd(ne.min):ne.min,ne._max=me==3?Ui(ne.max):me==4?yl(ne.max,ne.asinh):me==100?ne.fwd(ne.max):ne.max,E[O]=L=!0}}if(L){y.forEach((O,W)=>{s==2?W>0&&E.y&&(O._paths=null):E[O.scale]&&(O._paths=null)});for(let O in E)M=!0,tn("setScale",O);Z&&V.left>=0&&(J=_e=!0)}for(let O in X)X[O]=null}function Rr(g){let E=Wl(Le-1,0,be-1),L=Wl(De+1,0,be-1);for(;g[E]==null&&E>0;)E--;for(;g[L]==null&&L<be-1;)L++;return[E,L]}function ya(){if(be>0){let g=y.some(E=>E._focus)&&Vt!=Ut.alpha;g&&(h.globalAlpha=Vt=Ut.alpha),y.forEach((E,L)=>{if(L>0&&E.show&&(Cr(L,!1),Cr(L,!0),E._paths==null)){let O=Vt;Vt!=E.alpha&&(h.globalAlpha=Vt=E.alpha);let W=s==2?[0,e[L][0].length-1]:Rr(e[L]);E._paths=E.paths(n,L,W[0],W[1]),Vt!=O&&(h.globalAlpha=Vt=O)}}),y.forEach((E,L)=>{if(L>0&&E.show){let O=Vt;Vt!=E.alpha&&(h.globalAlpha=Vt=E.alpha),E._paths!=null&&Sc(L,!1);{let W=E._paths!=null?E._paths.gaps:null,ne=E.points.show(n,L,Le,De,W),me=E.points.filter(n,L,ne,W);(ne||me)&&(E.points._paths=E.points.paths(n,L,Le,De,me),Sc(L,!0))}Vt!=O&&(h.globalAlpha=Vt=O),tn("drawSeries",L)}}),g&&(h.globalAlpha=Vt=1)}}function Cr(g,E){let L=E?y[g].points:y[g];L._stroke=L.stroke(n,g),L._fill=L.fill(n,g)}function Sc(g,E){let L=E?y[g].points:y[g],{stroke:O,fill:W,clip:ne,flags:me,_stroke:ye=L._stroke,_fill:Te=L._fill,_width:Ie=L.width}=L._paths;Ie=Et(Ie*mt,3);let Oe=null,Fe=Ie%2/2;E&&Te==null&&(Te=Ie>0?"#fff":ye);let Je=L.pxAlign==1&&Fe>0;if(Je&&h.translate(Fe,Fe),!E){let pt=Be-Ie/2,ft=Pe-Ie/2,ot=Ve+Ie,Ye=$e+Ie;Oe=new Path2D,Oe.rect(pt,ft,ot,Ye)}E?Ea(ye,Ie,L.dash,L.cap,Te,O,W,me,ne):jd(g,ye,Ie,L.dash,L.cap,Te,O,W,me,Oe,ne),Je&&h.translate(-Fe,-Fe)}function jd(g,E,L,O,W,ne,me,ye,Te,Ie,Oe){let Fe=!1;Te!=0&&H.forEach((Je,pt)=>{if(Je.series[0]==g){let ft=y[Je.series[1]],ot=e[Je.series[1]],Ye=(ft._paths||jr).band;ji(Ye)&&(Ye=Je.dir==1?Ye[0]:Ye[1]);let He,Rt=null;ft.show&&Ye&&tS(ot,Le,De)?(Rt=Je.fill(n,pt)||ne,He=ft._paths.clip):Ye=null,Ea(E,L,O,W,Rt,me,ye,Te,Ie,Oe,He,Ye),Fe=!0}}),Fe||Ea(E,L,O,W,ne,me,ye,Te,Ie,Oe)}const yc=yr|Yl;function Ea(g,E,L,O,W,ne,me,ye,Te,Ie,Oe,Fe){Ls(g,E,L,O,W),(Te||Ie||Fe)&&(h.save(),Te&&h.clip(Te),Ie&&h.clip(Ie)),Fe?(ye&yc)==yc?(h.clip(Fe),Oe&&h.clip(Oe),ao(W,me),oo(g,ne,E)):ye&Yl?(ao(W,me),h.clip(Fe),oo(g,ne,E)):ye&yr&&(h.save(),h.clip(Fe),Oe&&h.clip(Oe),ao(W,me),h.restore(),oo(g,ne,E)):(ao(W,me),oo(g,ne,E)),(Te||Ie||Fe)&&h.restore()}function oo(g,E,L){L>0&&(E instanceof Map?E.forEach((O,W)=>{h.strokeStyle=Ft=W,h.stroke(O)}):E!=null&&g&&h.stroke(E))}function ao(g,E){E instanceof Map?E.forEach((L,O)=>{h.fillStyle=Ht=O,h.fill(L)}):E!=null&&g&&h.fill(E)}function Zd(g,E,L,O){let W=S[g],ne;if(O<=0)ne=[0,0];else{let me=W._space=W.space(n,g,E,L,O),ye=W._incrs=W.incrs(n,g,E,L,O,me);ne=yy(E,L,ye,O,me)}return W._found=ne}function ba(g,E,L,O,W,ne,me,ye,Te,Ie){let Oe=me%2/2;v==1&&h.translate(Oe,Oe),Ls(ye,me,Te,Ie,ye),h.beginPath();let Fe,Je,pt,ft,ot=W+(O==0||O==3?-ne:ne);L==0?(Je=W,ft=ot):(Fe=W,pt=ot);for(let Ye=0;Ye<g.length;Ye++)E[Ye]!=null&&(L==0?Fe=pt=g[Ye]:Je=ft=g[Ye],h.moveTo(Fe,Je),h.lineTo(pt,ft));h.stroke(),v==1&&h.translate(-Oe,-Oe)}function Jd(g){let E=!0;return S.forEach((L,O)=>{if(!L.show)return;let W=w[L.scale];if(W.min==null){L._show&&(E=!1,L._show=!1,Us(!1));return}else L._show||(E=!1,L._show=!0,Us(!1));let ne=L.side,me=ne%2,{min:ye,max:Te}=W,[Ie,Oe]=Zd(O,ye,Te,me==0?he:de);if(Oe==0)return;let Fe=W.distr==2,Je=L._splits=L.splits(n,O,ye,Te,Ie,Oe,Fe),pt=W.distr==2?Je.map(He=>Ge[He]):Je,ft=W.distr==2?Ge[Je[1]]-Ge[Je[0]]:Ie,ot=L._values=L.values(n,L.filter(n,pt,O,Oe,ft),O,Oe,ft);L._rotate=ne==2?L.rotate(n,ot,O,Oe):0;let Ye=L._size;L._size=$n(L.size(n,ot,O,g)),Ye!=null&&L._size!=Ye&&(E=!1)}),E}function Qd(g){let E=!0;return ae.forEach((L,O)=>{let W=L(n,O,C,g);W!=oe[O]&&(E=!1),oe[O]=W}),E}function ep(){for(let g=0;g<S.length;g++){let E=S[g];if(!E.show||!E._show)continue;let L=E.side,O=L%2,W,ne,me=E.stroke(n,g),ye=L==0||L==3?-1:1,[Te,Ie]=E._found;if(E.label!=null){let _n=E.labelGap*ye,Ln=Yt((E._lpos+_n)*mt);$t(E.labelFont[0],me,"center",L==2?zr:Th),h.save(),O==1?(W=ne=0,h.translate(Ln,Yt(Pe+$e/2)),h.rotate((L==3?-Wo:Wo)/2)):(W=Yt(Be+Ve/2),ne=Ln);let os=ud(E.label)?E.label(n,g,Te,Ie):E.label;h.fillText(os,W,ne),h.restore()}if(Ie==0)continue;let Oe=w[E.scale],Fe=O==0?Ve:$e,Je=O==0?Be:Pe,pt=E._splits,ft=Oe.distr==2?pt.map(_n=>Ge[_n]):pt,ot=Oe.distr==2?Ge[pt[1]]-Ge[pt[0]]:Te,Ye=E.ticks,He=E.border,Rt=Ye.show?Ye.size:0,Nt=Yt(Rt*mt),nn=Yt((E.alignTo==2?E._size-Rt-E.gap:E.gap)*mt),Mt=E._rotate*-Wo/180,Ot=d(E._pos*mt),Cn=(Nt+nn)*ye,gn=Ot+Cn;ne=O==0?gn:0,W=O==1?gn:0;let Vn=E.font[0],Zn=E.align==1?ar:E.align==2?xl:Mt>0?ar:Mt<0?xl:O==0?"center":L==3?xl:ar,ui=Mt||O==1?"middle":L==2?zr:Th;$t(Vn,me,Zn,ui);let Pn=E.font[1]*E.lineGap,Gn=pt.map(_n=>d(a(_n,Oe,Fe,Je))),Jn=E._values;for(let _n=0;_n<Jn.length;_n++){let Ln=Jn[_n];if(Ln!=null){O==0?W=Gn[_n]:ne=Gn[_n],Ln=""+Ln;let os=Ln.indexOf(`
`)==-1?[Ln]:Ln.split(/\n/gm);for(let vn=0;vn<os.length;vn++){let Hc=os[vn];Mt?(h.save(),h.translate(W,ne+vn*Pn),h.rotate(Mt),h.fillText(Hc,0,0),h.restore()):h.fillText(Hc,W,ne+vn*Pn)}}}Ye.show&&ba(Gn,Ye.filter(n,ft,g,Ie,ot),O,L,Ot,Nt,Et(Ye.width*mt,3),Ye.stroke(n,g),Ye.dash,Ye.cap);let hi=E.grid;hi.show&&ba(Gn,hi.filter(n,ft,g,Ie,ot),O,O==0?2:1,O==0?Pe:Be,O==0?$e:Ve,Et(hi.width*mt,3),hi.stroke(n,g),hi.dash,hi.cap),He.show&&ba([Ot],[1],O==0?1:0,O==0?1:2,O==1?Pe:Be,O==1?$e:Ve,Et(He.width*mt,3),He.stroke(n,g),He.dash,He.cap)}tn("drawAxes")}function Us(g){y.forEach((E,L)=>{L>0&&(E._paths=null,g&&(s==1?(E.min=null,E.max=null):E.facets.forEach(O=>{O.min=null,O.max=null})))})}let lo=!1,wa=!1,Pr=[];function tp(){wa=!1;for(let g=0;g<Pr.length;g++)tn(...Pr[g]);Pr.length=0}function Is(){lo||(mS(Ec),lo=!0)}function np(g,E=!1){lo=!0,wa=E,g(n),Ec(),E&&Pr.length>0&&queueMicrotask(tp)}n.batch=np;function Ec(){if(ht&&(yn(),ht=!1),M&&(bt(),M=!1),Ze){if(Ct(m,ar,Se),Ct(m,zr,Ee),Ct(m,Wr,he),Ct(m,Xr,de),Ct(_,ar,Se),Ct(_,zr,Ee),Ct(_,Wr,he),Ct(_,Xr,de),Ct(f,Wr,pe),Ct(f,Xr,xe),u.width=Yt(pe*mt),u.height=Yt(xe*mt),S.forEach(({_el:g,_show:E,_size:L,_pos:O,side:W})=>{if(g!=null)if(E){let ne=W===3||W===0?L:0,me=W%2==1;Ct(g,me?"left":"top",O-ne),Ct(g,me?"width":"height",L),Ct(g,me?"top":"left",me?Ee:Se),Ct(g,me?"height":"width",me?de:he),Vl(g,xs)}else In(g,xs)}),Ft=Ht=Rn=je=yi=xt=jn=Ps=ct=null,Vt=1,Ur(!0),Se!=Xe||Ee!=we||he!=ke||de!=Qe){Us(!1);let g=he/ke,E=de/Qe;if(Z&&!J&&V.left>=0){V.left*=g,V.top*=E,Ns&&fi(Ns,Yt(V.left),0,he,de),Os&&fi(Os,0,Yt(V.top),he,de);for(let L=0;L<Jt.length;L++){let O=Jt[L];O!=null&&(Kn[L]*=g,Si[L]*=E,fi(O,$n(Kn[L]),$n(Si[L]),he,de))}}if(At.show&&!re&&At.left>=0&&At.width>0){At.left*=g,At.width*=g,At.top*=E,At.height*=E;for(let L in La)Ct(Bs,L,At[L])}Xe=Se,we=Ee,ke=he,Qe=de}tn("setSize"),Ze=!1}pe>0&&xe>0&&(h.clearRect(0,0,u.width,u.height),tn("drawClear"),z.forEach(g=>g()),tn("draw")),At.show&&re&&(co(At),re=!1),Z&&J&&(rs(null,!0,!1),J=!1),P.show&&P.live&&_e&&(Ca(),_e=!1),l||(l=!0,n.status=1,tn("ready")),Ke=!1,lo=!1}n.redraw=(g,E)=>{M=E||!1,g!==!1?zi(T,N.min,N.max):Is()};function Ta(g,E){let L=w[g];if(L.from==null){if(be==0){let O=L.range(n,E.min,E.max,g);E.min=O[0],E.max=O[1]}if(E.min>E.max){let O=E.min;E.min=E.max,E.max=O}if(be>1&&E.min!=null&&E.max!=null&&E.max-E.min<1e-16)return;g==T&&L.distr==2&&be>0&&(E.min=si(E.min,e[0]),E.max=si(E.max,e[0]),E.min==E.max&&E.max++),X[g]=E,ht=!0,Is()}}n.setScale=Ta;let Aa,Ra,Ns,Os,bc,wc,Fs,ks,Tc,Ac,Tt,Dt,Bi=!1;const on=V.drag;let Qt=on.x,en=on.y;Z&&(V.x&&(Aa=Xn(BM,_)),V.y&&(Ra=Xn(zM,_)),N.ori==0?(Ns=Aa,Os=Ra):(Ns=Ra,Os=Aa),Tt=V.left,Dt=V.top);const At=n.select=Xt({show:!0,over:!0,left:0,width:0,top:0,height:0},i.select),Bs=At.show?Xn(kM,At.over?_:m):null;function co(g,E){if(At.show){for(let L in g)At[L]=g[L],L in La&&Ct(Bs,L,g[L]);E!==!1&&tn("setSelect")}}n.setSelect=co;function ip(g){if(y[g].show)I&&Vl(F[g],xs);else if(I&&In(F[g],xs),Z){let L=hn?Jt[0]:Jt[g];L!=null&&fi(L,-10,-10,he,de)}}function zi(g,E,L){Ta(g,{min:E,max:L})}function li(g,E,L,O){E.focus!=null&&lp(g),E.show!=null&&y.forEach((W,ne)=>{ne>0&&(g==ne||g==null)&&(W.show=E.show,ip(ne),s==2?(zi(W.facets[0].scale,null,null),zi(W.facets[1].scale,null,null)):zi(W.scale,null,null),Is())}),L!==!1&&tn("setSeries",g,E),O&&Ir("setSeries",n,g,E)}n.setSeries=li;function sp(g,E){Xt(H[g],E)}function rp(g,E){g.fill=at(g.fill||null),g.dir=dt(g.dir,-1),E=E??H.length,H.splice(E,0,g)}function op(g){g==null?H.length=0:H.splice(g,1)}n.addBand=rp,n.setBand=sp,n.delBand=op;function ap(g,E){y[g].alpha=E,Z&&Jt[g]!=null&&(Jt[g].style.opacity=E),I&&F[g]&&(F[g].style.opacity=E)}let Ei,Hi,ss;const zs={focus:!0};function lp(g){if(g!=ss){let E=g==null,L=Ut.alpha!=1;y.forEach((O,W)=>{if(s==1||W>0){let ne=E||W==0||W==g;O._focus=E?null:ne,L&&ap(W,ne?1:Ut.alpha)}}),ss=g,L&&Is()}}I&&mn&&A(Ph,B,g=>{V._lock||(ut(g),ss!=null&&li(null,zs,!0,Gt.setSeries))});function ci(g,E,L){let O=w[E];L&&(g=g/mt-(O.ori==1?Ee:Se));let W=he;O.ori==1&&(W=de,g=W-g),O.dir==-1&&(g=W-g);let ne=O._min,me=O._max,ye=g/W,Te=ne+(me-ne)*ye,Ie=O.distr;return Ie==3?xr(10,Te):Ie==4?iS(Te,O.asinh):Ie==100?O.bwd(Te):Te}function cp(g,E){let L=ci(g,T,E);return si(L,e[0],Le,De)}n.valToIdx=g=>si(g,e[0]),n.posToIdx=cp,n.posToVal=ci,n.valToPos=(g,E,L)=>w[E].ori==0?r(g,w[E],L?Ve:he,L?Be:0):o(g,w[E],L?$e:de,L?Pe:0),n.setCursor=(g,E,L)=>{Tt=g.left,Dt=g.top,rs(null,E,L)};function Rc(g,E){Ct(Bs,ar,At.left=g),Ct(Bs,Wr,At.width=E)}function Cc(g,E){Ct(Bs,zr,At.top=g),Ct(Bs,Xr,At.height=E)}let Lr=N.ori==0?Rc:Cc,Dr=N.ori==1?Rc:Cc;function up(){if(I&&P.live)for(let g=s==2?1:0;g<y.length;g++){if(g==0&&Re)continue;let E=P.values[g],L=0;for(let O in E)ve[g][L++].firstChild.nodeValue=E[O]}}function Ca(g,E){if(g!=null&&(g.idxs?g.idxs.forEach((L,O)=>{fe[O]=L}):aS(g.idx)||fe.fill(g.idx),P.idx=fe[0]),I&&P.live){for(let L=0;L<y.length;L++)(L>0||s==1&&!Re)&&hp(L,fe[L]);up()}_e=!1,E!==!1&&tn("setLegend")}n.setLegend=Ca;function hp(g,E){let L=y[g],O=g==0&&G==2?Ge:e[g],W;Re?W=L.values(n,g,E)??Me:(W=L.value(n,E==null?null:O[E],g,E),W=W==null?Me:{_:W}),P.values[g]=W}function rs(g,E,L){Tc=Tt,Ac=Dt,[Tt,Dt]=V.move(n,Tt,Dt),V.left=Tt,V.top=Dt,Z&&(Ns&&fi(Ns,Yt(Tt),0,he,de),Os&&fi(Os,0,Yt(Dt),he,de));let O,W=Le>De;Ei=yt,Hi=null;let ne=N.ori==0?he:de,me=N.ori==1?he:de;if(Tt<0||be==0||W){O=V.idx=null;for(let ye=0;ye<y.length;ye++){let Te=Jt[ye];Te!=null&&fi(Te,-10,-10,he,de)}mn&&li(null,zs,!0,g==null&&Gt.setSeries),P.live&&(fe.fill(O),_e=!0)}else{let ye,Te,Ie;s==1&&(ye=N.ori==0?Tt:Dt,Te=ci(ye,T),O=V.idx=si(Te,e[0],Le,De),Ie=U(e[0][O],N,ne,0));let Oe=-10,Fe=-10,Je=0,pt=0,ft=!0,ot="",Ye="";for(let He=s==2?1:0;He<y.length;He++){let Rt=y[He],Nt=fe[He],nn=Nt==null?null:s==1?e[He][Nt]:e[He][1][Nt],Mt=V.dataIdx(n,He,O,Te),Ot=Mt==null?null:s==1?e[He][Mt]:e[He][1][Mt];if(_e=_e||Ot!=nn||Mt!=Nt,fe[He]=Mt,He>0&&Rt.show){let Cn=Mt==null?-10:Mt==O?Ie:U(s==1?e[0][Mt]:e[He][0][Mt],N,ne,0),gn=Ot==null?-10:j(Ot,s==1?w[Rt.scale]:w[Rt.facets[1].scale],me,0);if(mn&&Ot!=null){let Vn=N.ori==1?Tt:Dt,Zn=qt(Ut.dist(n,He,Mt,gn,Vn));if(Zn<Ei){let ui=Ut.bias;if(ui!=0){let Pn=ci(Vn,Rt.scale),Gn=Ot>=0?1:-1,Jn=Pn>=0?1:-1;Jn==Gn&&(Jn==1?ui==1?Ot>=Pn:Ot<=Pn:ui==1?Ot<=Pn:Ot>=Pn)&&(Ei=Zn,Hi=He)}else Ei=Zn,Hi=He}}if(_e||hn){let Vn,Zn;N.ori==0?(Vn=Cn,Zn=gn):(Vn=gn,Zn=Cn);let ui,Pn,Gn,Jn,hi,_n,Ln=!0,os=wt.bbox;if(os!=null){Ln=!1;let vn=os(n,He);Gn=vn.left,Jn=vn.top,ui=vn.width,Pn=vn.height}else Gn=Vn,Jn=Zn,ui=Pn=wt.size(n,He);if(_n=wt.fill(n,He),hi=wt.stroke(n,He),hn)He==Hi&&Ei<=Ut.prox&&(Oe=Gn,Fe=Jn,Je=ui,pt=Pn,ft=Ln,ot=_n,Ye=hi);else{let vn=Jt[He];vn!=null&&(Kn[He]=Gn,Si[He]=Jn,Fh(vn,ui,Pn,Ln),Nh(vn,_n,hi),fi(vn,$n(Gn),$n(Jn),he,de))}}}}if(hn){let He=Ut.prox,Rt=ss==null?Ei<=He:Ei>He||Hi!=ss;if(_e||Rt){let Nt=Jt[0];Nt!=null&&(Kn[0]=Oe,Si[0]=Fe,Fh(Nt,Je,pt,ft),Nh(Nt,ot,Ye),fi(Nt,$n(Oe),$n(Fe),he,de))}}}if(At.show&&Bi)if(g!=null){let[ye,Te]=Gt.scales,[Ie,Oe]=Gt.match,[Fe,Je]=g.cursor.sync.scales,pt=g.cursor.drag;if(Qt=pt._x,en=pt._y,Qt||en){let{left:ft,top:ot,width:Ye,height:He}=g.select,Rt=g.scales[Fe].ori,Nt=g.posToVal,nn,Mt,Ot,Cn,gn,Vn=ye!=null&&Ie(ye,Fe),Zn=Te!=null&&Oe(Te,Je);Vn&&Qt?(Rt==0?(nn=ft,Mt=Ye):(nn=ot,Mt=He),Ot=w[ye],Cn=U(Nt(nn,Fe),Ot,ne,0),gn=U(Nt(nn+Mt,Fe),Ot,ne,0),Lr(ai(Cn,gn),qt(gn-Cn))):Lr(0,ne),Zn&&en?(Rt==1?(nn=ft,Mt=Ye):(nn=ot,Mt=He),Ot=w[Te],Cn=j(Nt(nn,Je),Ot,me,0),gn=j(Nt(nn+Mt,Je),Ot,me,0),Dr(ai(Cn,gn),qt(gn-Cn))):Dr(0,me)}else Da()}else{let ye=qt(Tc-bc),Te=qt(Ac-wc);if(N.ori==1){let Je=ye;ye=Te,Te=Je}Qt=on.x&&ye>=on.dist,en=on.y&&Te>=on.dist;let Ie=on.uni;Ie!=null?Qt&&en&&(Qt=ye>=Ie,en=Te>=Ie,!Qt&&!en&&(Te>ye?en=!0:Qt=!0)):on.x&&on.y&&(Qt||en)&&(Qt=en=!0);let Oe,Fe;Qt&&(N.ori==0?(Oe=Fs,Fe=Tt):(Oe=ks,Fe=Dt),Lr(ai(Oe,Fe),qt(Fe-Oe)),en||Dr(0,me)),en&&(N.ori==1?(Oe=Fs,Fe=Tt):(Oe=ks,Fe=Dt),Dr(ai(Oe,Fe),qt(Fe-Oe)),Qt||Lr(0,ne)),!Qt&&!en&&(Lr(0,0),Dr(0,0))}if(on._x=Qt,on._y=en,g==null){if(L){if(zc!=null){let[ye,Te]=Gt.scales;Gt.values[0]=ye!=null?ci(N.ori==0?Tt:Dt,ye):null,Gt.values[1]=Te!=null?ci(N.ori==1?Tt:Dt,Te):null}Ir(Ml,n,Tt,Dt,he,de,O)}if(mn){let ye=L&&Gt.setSeries,Te=Ut.prox;ss==null?Ei<=Te&&li(Hi,zs,!0,ye):Ei>Te?li(null,zs,!0,ye):Hi!=ss&&li(Hi,zs,!0,ye)}}_e&&(P.idx=O,Ca()),E!==!1&&tn("setCursor")}let Vi=null;Object.defineProperty(n,"rect",{get(){return Vi==null&&Ur(!1),Vi}});function Ur(g=!1){g?Vi=null:(Vi=_.getBoundingClientRect(),tn("syncRect",Vi))}function Pc(g,E,L,O,W,ne,me){V._lock||Bi&&g!=null&&g.movementX==0&&g.movementY==0||(Pa(g,E,L,O,W,ne,me,!1,g!=null),g!=null?rs(null,!0,!0):rs(E,!0,!1))}function Pa(g,E,L,O,W,ne,me,ye,Te){if(Vi==null&&Ur(!1),ut(g),g!=null)L=g.clientX-Vi.left,O=g.clientY-Vi.top;else{if(L<0||O<0){Tt=-10,Dt=-10;return}let[Ie,Oe]=Gt.scales,Fe=E.cursor.sync,[Je,pt]=Fe.values,[ft,ot]=Fe.scales,[Ye,He]=Gt.match,Rt=E.axes[0].side%2==1,Nt=N.ori==0?he:de,nn=N.ori==1?he:de,Mt=Rt?ne:W,Ot=Rt?W:ne,Cn=Rt?O:L,gn=Rt?L:O;if(ft!=null?L=Ye(Ie,ft)?a(Je,w[Ie],Nt,0):-10:L=Nt*(Cn/Mt),ot!=null?O=He(Oe,ot)?a(pt,w[Oe],nn,0):-10:O=nn*(gn/Ot),N.ori==1){let Vn=L;L=O,O=Vn}}Te&&(E==null||E.cursor.event.type==Ml)&&((L<=1||L>=he-1)&&(L=ps(L,he)),(O<=1||O>=de-1)&&(O=ps(O,de))),ye?(bc=L,wc=O,[Fs,ks]=V.move(n,L,O)):(Tt=L,Dt=O)}const La={width:0,height:0,left:0,top:0};function Da(){co(La,!1)}let Lc,Dc,Uc,Ic;function Nc(g,E,L,O,W,ne,me){Bi=!0,Qt=en=on._x=on._y=!1,Pa(g,E,L,O,W,ne,me,!0,!1),g!=null&&(A(Sl,zl,Oc,!1),Ir(Rh,n,Fs,ks,he,de,null));let{left:ye,top:Te,width:Ie,height:Oe}=At;Lc=ye,Dc=Te,Uc=Ie,Ic=Oe}function Oc(g,E,L,O,W,ne,me){Bi=on._x=on._y=!1,Pa(g,E,L,O,W,ne,me,!1,!0);let{left:ye,top:Te,width:Ie,height:Oe}=At,Fe=Ie>0||Oe>0,Je=Lc!=ye||Dc!=Te||Uc!=Ie||Ic!=Oe;if(Fe&&Je&&co(At),on.setScale&&Fe&&Je){let pt=ye,ft=Ie,ot=Te,Ye=Oe;if(N.ori==1&&(pt=Te,ft=Oe,ot=ye,Ye=Ie),Qt&&zi(T,ci(pt,T),ci(pt+ft,T)),en)for(let He in w){let Rt=w[He];He!=T&&Rt.from==null&&Rt.min!=yt&&zi(He,ci(ot+Ye,He),ci(ot,He))}Da()}else V.lock&&(V._lock=!V._lock,rs(E,!0,g!=null));g!=null&&(ce(Sl,zl),Ir(Sl,n,Tt,Dt,he,de,null))}function fp(g,E,L,O,W,ne,me){if(V._lock)return;ut(g);let ye=Bi;if(Bi){let Te=!0,Ie=!0,Oe=10,Fe,Je;N.ori==0?(Fe=Qt,Je=en):(Fe=en,Je=Qt),Fe&&Je&&(Te=Tt<=Oe||Tt>=he-Oe,Ie=Dt<=Oe||Dt>=de-Oe),Fe&&Te&&(Tt=Tt<Fs?0:he),Je&&Ie&&(Dt=Dt<ks?0:de),rs(null,!0,!0),Bi=!1}Tt=-10,Dt=-10,fe.fill(null),rs(null,!0,!0),ye&&(Bi=ye)}function Fc(g,E,L,O,W,ne,me){V._lock||(ut(g),Lt(),Da(),g!=null&&Ir(Lh,n,Tt,Dt,he,de,null))}function kc(){S.forEach(Ey),Ae(n.width,n.height,!0)}Es(ea,dr,kc);const Hs={};Hs.mousedown=Nc,Hs.mousemove=Pc,Hs.mouseup=Oc,Hs.dblclick=Fc,Hs.setSeries=(g,E,L,O)=>{let W=Gt.match[2];L=W(n,E,L),L!=-1&&li(L,O,!0,!1)},Z&&(A(Rh,_,Nc),A(Ml,_,Pc),A(Ch,_,g=>{ut(g),Ur(!1)}),A(Ph,_,fp),A(Lh,_,Fc),ql.add(n),n.syncRect=Ur);const uo=n.hooks=i.hooks||{};function tn(g,E,L){wa?Pr.push([g,E,L]):g in uo&&uo[g].forEach(O=>{O.call(null,n,E,L)})}(i.plugins||[]).forEach(g=>{for(let E in g.hooks)uo[E]=(uo[E]||[]).concat(g.hooks[E])});const Bc=(g,E,L)=>L,Gt=Xt({key:null,setSeries:!1,filters:{pub:Vh,sub:Vh},scales:[T,y[1]?y[1].scale:null],match:[Gh,Gh,Bc],values:[null,null]},V.sync);Gt.match.length==2&&Gt.match.push(Bc),V.sync=Gt;const zc=Gt.key,Ua=Id(zc);function Ir(g,E,L,O,W,ne,me){Gt.filters.pub(g,E,L,O,W,ne,me)&&Ua.pub(g,E,L,O,W,ne,me)}Ua.sub(n);function dp(g,E,L,O,W,ne,me){Gt.filters.sub(g,E,L,O,W,ne,me)&&Hs[g](null,E,L,O,W,ne,me)}n.pub=dp;function pp(){Ua.unsub(n),ql.delete(n),k.clear(),Gl(ea,dr,kc),c.remove(),B?.remove(),tn("destroy")}n.destroy=pp;function Ia(){tn("init",i,e),tt(e||i.data,!1),X[T]?Ta(T,X[T]):Lt(),re=At.show&&(At.width>0||At.height>0),J=_e=!0,Ae(i.width,i.height)}return y.forEach(ro),S.forEach(Q),t?t instanceof HTMLElement?(t.appendChild(c),Ia()):t(n,Ia):Ia(),n}pn.assign=Xt;pn.fmtNum=fc;pn.rangeNum=ta;pn.rangeLog=da;pn.rangeAsinh=uc;pn.orient=Cs;pn.pxRatio=mt;pn.join=pS;pn.fmtDate=pc,pn.tzDate=wS;pn.sync=Id;{pn.addGap=ay,pn.clipGaps=ga;let i=pn.paths={points:zd};i.linear=Vd,i.stepped=uy,i.bars=hy,i.spline=dy}function by(i){return i.replace(/(\.\d*?)0+(?=\D|$)/,"$1").replace(/\.(?=\D|$)/,"")}class $d{constructor(e,t,n,s=!1,r=""){this.unit=t,this.lines=n,this.log=s,this.element=D("section.chart",{"aria-label":e},D("h2.title",{title:r},e),this.box),this.observer.observe(this.box)}element;box=D("div.plot");plot=null;data=[[]];marks=[];observer=new ResizeObserver(()=>this.resize());set(e){this.data=e,this.plot?this.plot.setData(e):this.draw()}set_marks(e){this.marks=e,this.plot?.redraw(!1)}draw_marks(e){const{ctx:t}=e,{left:n,top:s,width:r,height:o}=e.bbox,a=devicePixelRatio||1;t.save(),t.lineWidth=a;for(const{step:l,kind:c}of this.marks){const u=Math.round(e.valToPos(l,"x",!0))+.5;u<n||u>n+r||(t.strokeStyle=kt(c==="incident"?"--bad":"--series-3"),t.setLineDash(c==="incident"?[4*a,3*a]:[]),t.beginPath(),t.moveTo(u,c==="incident"?s:s+o-7*a),t.lineTo(u,s+o),t.stroke())}t.restore()}draw(){if(this.plot?.destroy(),this.box.replaceChildren(),this.box.clientWidth===0)return;const e={stroke:kt("--muted"),grid:{stroke:kt("--grid"),width:1},ticks:{stroke:kt("--grid"),width:1,size:4},font:"11px system-ui, sans-serif",gap:4};this.plot=new pn({width:this.box.clientWidth,height:190,cursor:{sync:{key:"steps"},points:{size:6}},legend:{live:!0},hooks:{draw:[t=>this.draw_marks(t)]},scales:{x:{time:!1},y:{distr:this.log?3:1}},axes:[{...e,size:28},{...e,size:62,values:(t,n)=>n.map(s=>s===null?"":by(Pi(s,this.unit)))}],series:[{label:"step",value:(t,n)=>n===null?"–":String(n)},...this.lines.map(t=>({label:t.label,stroke:kt(t.colour),width:1.6,dash:t.dashed?[5,4]:void 0,spanGaps:!0,points:{show:(this.data[0]?.length??0)<60,size:4},value:(n,s)=>s===null?"–":Pi(s,this.unit)}))]},this.data,this.box)}destroy(){this.observer.disconnect(),this.plot?.destroy()}resize(){this.plot?this.box.clientWidth>0&&this.box.clientWidth!==this.plot.width&&this.plot.setSize({width:this.box.clientWidth,height:190}):this.draw()}}const wy=2e3,Ty=12,Ay=44,ff=5,df=620,Tl=8;function Ry(i,e){let t=null,n=[],s=e.parameters.get("column")??"compute",r=e.parameters.get("steps")??"8",o=e.parameters.get("rows")??"auto",a=0,l=!1,c=!1,u=0;const h=D("div.controls"),f=D("div.verdict",{role:"status"}),m=D("canvas",{tabindex:0,role:"application","aria-label":"Heat map of ranks. Arrow keys choose a rank, Enter opens it."}),_=D("div.readout"),v=D("div.map",{},m,_),d=D("div.scale",{"aria-hidden":"true"}),p=D("div.slowest"),y=D("div.heat",{},D("div",{},v,d),p),S=D("section.panel",{hidden:!0});i.append(h,f,y,S);const w=sa(()=>N()),H=new ResizeObserver(()=>N());H.observe(v);function T(K,Y){if(!n[K])return;a=K,G();const{row:fe,value:P,excess:V}=n[K],I=t.columns.find(le=>le.key===s),Z=`rank ${fe.rank}: ${Pi(P,I.unit)}, ${V>=0?"+":""}${wn(V)}`;nt(_,D("strong",{},`rank ${fe.rank}`),` ${Pi(P,I.unit)} `,D("span",{},`${V>=0?"+":""}${wn(V)} against its peers`),D("span.muted",{},Sh(fe))),pr(Z),Y&&ee(fe.rank)}function R(){const K=new Map,Y=new Set(n.map(({row:P})=>P.host)),fe=o==="auto"?Y.size>1?"host":"stage":o;return n.forEach(({row:P},V)=>{const I=fe==="host"?P.host||"host":fe==="data"?`data ${P.at.data}`:`stage ${P.at.pipeline}`,Z=K.get(I);Z?Z.push(V):K.set(I,[V])}),[...K].map(([P,V])=>({label:P,cells:V}))}let z=[],b=null;function x(K){const Y=R(),fe=Math.min(160,12+7*Math.max(...Y.map(ve=>ve.label.length))),P=Math.max(...Y.map(ve=>ve.cells.length)),V=K-fe,I=ve=>{const ge=Math.max(1,Math.min(P,Math.floor(V/ve))),Re=Y.reduce((Ce,Ne)=>Ce+Math.ceil(Ne.cells.length/ge)*ve+4,4);if(Re<=df||ge<P)return{per_line:ge,abreast:1,height:Re};const Me=Math.max(1,Math.floor((V+Tl)/(P*ve+Tl)));return{per_line:ge,abreast:Me,height:Math.ceil(Y.length/Me)*(ve+4)+4}};let Z=Math.max(ff,Math.min(Ay,Math.floor(V/Math.min(P,128))));for(;Z>ff&&I(Z).height>df;)--Z;const{per_line:le,abreast:B,height:se}=I(Z);z=[];const q=[];let F=4;return Y.forEach((ve,ge)=>{const Re=ge%B;Re===0&&q.push({text:ve.label,y:F+Z/2}),ve.cells.forEach((Me,Ce)=>{z[Me]={x:fe+Re*(P*Z+Tl)+Ce%le*Z,y:F+Math.floor(Ce/le)*Z,size:Z}}),Re===B-1&&(F+=Math.ceil(ve.cells.length/le)*Z+4)}),{height:Math.max(se,F+4),labels:q,indent:fe}}function N(){if(!t||c)return;const K=v.clientWidth-20;if(K<=0)return;const{height:Y,labels:fe,indent:P}=x(K),V=devicePixelRatio||1;b=document.createElement("canvas");for(const se of[b,m])se.width=Math.floor(K*V),se.height=Math.floor(Y*V);m.style.width=`${K}px`,m.style.height=`${Y}px`;const I=b.getContext("2d");I.scale(V,V),I.font="12px system-ui, sans-serif",I.textBaseline="middle",I.fillStyle=kt("--muted");let Z=-1/0;for(const{text:se,y:q}of fe)q<Z||(I.fillText(se,0,q,P-8),Z=q+14);const le=new Set(t.stragglers.flatMap(se=>se.ranks)),B=kt("--bad");I.textAlign="center",n.forEach((se,q)=>{const{x:F,y:ve,size:ge}=z[q],Re=ge>12?2:1,Me=ge-Re,Ce=Cf(se.excess);I.fillStyle=Ce.css,I.fillRect(F,ve,Me,Me),ge>=24&&(I.fillStyle=Ce.is_light?"#10131a":"#ffffff",I.fillText(String(se.row.rank),F+Me/2,ve+Me/2)),le.has(se.row.rank)&&(I.strokeStyle=B,I.lineWidth=ge>12?2:1,I.strokeRect(F+I.lineWidth/2,ve+I.lineWidth/2,Me-I.lineWidth,Me-I.lineWidth))}),G()}function G(){const K=z[a];if(!b||!K)return;const Y=m.getContext("2d"),fe=devicePixelRatio||1;if(Y.setTransform(1,0,0,1,0,0),Y.clearRect(0,0,m.width,m.height),Y.drawImage(b,0,0),document.activeElement!==m&&!l)return;Y.scale(fe,fe),Y.strokeStyle=kt("--text"),Y.lineWidth=2;const P=K.size-(K.size>12?2:1);Y.strokeRect(K.x,K.y,P,P)}function U(K){const Y=m.getBoundingClientRect(),fe=K.clientX-Y.left,P=K.clientY-Y.top;return z.findIndex(V=>fe>=V.x&&fe<V.x+V.size&&P>=V.y&&P<V.y+V.size)}m.addEventListener("mousemove",K=>{const Y=U(K);m.style.cursor=Y>=0?"pointer":"default",l=Y>=0,Y>=0&&Y!==a?T(Y,!1):G()}),m.addEventListener("mouseleave",()=>{l=!1,G()}),m.addEventListener("click",K=>T(U(K),!0)),m.addEventListener("focus",()=>T(a,!1)),m.addEventListener("blur",()=>G()),m.addEventListener("keydown",K=>{const Y=z[a];if(!Y)return;const fe={ArrowLeft:[-1,0],ArrowRight:[1,0],ArrowUp:[0,-1],ArrowDown:[0,1]}[K.key];if(K.key==="Enter")T(a,!0);else if(fe?.[0])T(Math.max(0,Math.min(n.length-1,a+fe[0])),!1);else if(fe){const P=z.map((V,I)=>({i:I,dy:(V.y-Y.y)*fe[1],dx:Math.abs(V.x-Y.x)})).filter(({dy:V})=>V>0);P.sort((V,I)=>V.dy-I.dy||V.dx-I.dx),P[0]&&T(P[0].i,!1)}else return;K.preventDefault(),K.stopPropagation()});function j(){nt(h,xi("Colour",Di(t.columns.map(K=>({value:K.key,label:K.label,group:K.group})),s,K=>{s=K,e.remember({column:K}),te(!0)})),xi("Last steps",Di(["1","4","8","16","64","256"].map(K=>({value:K,label:K})),r,K=>{r=K,e.remember({steps:K}),te(!0)})),xi("Rows",Di([{value:"auto",label:"automatic"},{value:"host",label:"hosts"},{value:"stage",label:"pipeline stages"},{value:"data",label:"data coordinate"}],o,K=>{o=K,e.remember({rows:K}),N()})),D("span.muted.steps",{}))}function X(){const K=t.columns.find(P=>P.key===s);n=rd(t,K);const Y=t.steps.at(-1);nt(h.querySelector(".steps"),`steps ${t.steps[0]} to ${Y}, mean of ${t.steps.length}`),nt(f,...t.stragglers.length?t.stragglers.slice(0,5).map(P=>D("div.straggler",{},D(`span.cause.${P.cause}`,{},Bl[P.cause]),` ${P.text} `,D("span.muted",{},`(${Mn(P.seconds)} a step, its peers ${Mn(P.usual_seconds)}; in ${P.votes} of ${P.steps} steps)`),D("button.plain",{onclick:()=>void ee(P.ranks[0])},"history"))):[D("div.fine",{},t.steps.length<8&&e.run.kind==="trained"?"Fewer than 8 steps so far: nobody is judged yet.":"No rank stands out in the last steps.")],...t.problems.slice(0,3).map(P=>D("div.straggler",{},D("span.cause",{},"not shown"),` rank ${P.rank}: ${P.text}`)));const fe=n.map((P,V)=>({cell:P,i:V})).sort((P,V)=>V.cell.excess-P.cell.excess).slice(0,Ty);nt(p,D("h2.title",{},"Outliers first"),D("table",{},D("thead",{},D("tr",{},D("th",{},"Rank"),D("th",{},"Value"),D("th",{},"Against peers"),D("th",{},"Where"))),D("tbody",{},...fe.map(({cell:P})=>D("tr",{},D("td",{},D("button.link",{onclick:()=>void ee(P.row.rank)},String(P.row.rank))),D("td",{},Pi(P.value,K.unit)),D("td",{},`${P.excess>=0?"+":""}${wn(P.excess)}`),D("td.muted",{},Sh(P.row))))))),nt(d,D("span",{},"−20 %"),D("span.gradient",{}),D("span",{},"+20 %"),D("span.muted",{},"against the median of the ranks with the same work")),N()}let ie=[];async function ee(K){ie.forEach(Y=>Y.destroy()),ie=[],S.hidden=!1;try{const Y=await cn(`/api/runs/${e.run.id}/rank?rank=${K}&steps=256`),fe=D("button.plain",{onclick:()=>{S.hidden=!0,m.focus()}},"Close"),P=D("div.charts");nt(S,D("div.head",{},D("h2",{tabindex:-1},`Rank ${K} beside its peers`),D("span.muted",{},`${Y.host||"host unknown"} · ${Y.peers} ranks with the same work`),D("button",{onclick:()=>e.go("timeline",{ranks:String(K),step:String(Y.steps.at(-1))})},"Timeline"),fe),P);const V=Y.columns.filter(I=>I.key===s||["compute","exposed_comm","bubble"].includes(I.key));for(const I of V){const Z=new $d(`${I.group}: ${I.label}`,I.unit,[{label:`rank ${K}`,colour:"--series-1"},{label:"median",colour:"--series-3",dashed:!0}]);P.append(Z.element),Z.set([Y.steps,I.values,I.median]),ie.push(Z)}S.querySelector("h2").focus(),S.scrollIntoView({block:"nearest"})}catch(Y){nt(S,rn(`Rank ${K} cannot be shown`,Y.message,"error"))}}async function te(K=!1){window.clearTimeout(u);const Y=`steps=${r}&columns=${encodeURIComponent(s)}`;try{const fe=await cn(`/api/runs/${e.run.id}/ranks?${Y}`);if(c||Y!==`steps=${r}&columns=${encodeURIComponent(s)}`)return;if(!fe.columns.some(I=>I.key===s))return s=fe.columns[0].key,void te(K);const P=t===null,V=P||K||fe.steps.at(-1)!==t.steps.at(-1)||fe.steps.length!==t.steps.length;t=fe,P&&j(),y.hidden=!1,V&&X()}catch(fe){if(c)return;const P=fe;t=null,y.hidden=!0,nt(f,rn(P.status===404?"No records of ranks":"Records cannot be read",P.message,P.status===404?"empty":"error"))}window.clearTimeout(u),u=window.setTimeout(()=>void te(),e.run.kind==="simulated"?6e4:wy)}return te(),{leave(){c=!0,window.clearTimeout(u),H.disconnect(),w(),ie.forEach(K=>K.destroy())},key(K){return K.key!=="Escape"||S.hidden?!1:(S.hidden=!0,!0)}}}const Al=10,Yd=["step","compute","exposed_comm","bubble","data_wait"];function Cy(i){return i?.values.length?i.values.reduce((e,t)=>e+t,0)/i.values.length:0}function Py(i,e){if(!e)return 0;const t=new Map;i.ranks.forEach((s,r)=>{const[o,a]=t.get(s.at.pipeline)??[0,0];t.set(s.at.pipeline,[o+e.values[r],a+1])});const n=[...t.values()].map(([s,r])=>s/r);return n.length?n.reduce((s,r)=>s+r,0)/n.length:Cy(e)}async function pf(i){const e=`/api/runs/${i.id}/ranks?steps=16&columns=`,t=(await cn(e)).columns.map(({key:n})=>n).filter(n=>n.startsWith("op.")||Yd.includes(n));return cn(e+encodeURIComponent(t.join(",")))}function Ly(i){const e=i.run.kind!=="simulated";return i.runs.filter(t=>t.id!==i.run.id&&t.kind!=="empty"&&t.kind==="simulated"===e&&t.job?.world_size===i.run.job?.world_size)}function mf({label:i,predicted:e,measured:t},n,s){const r=e-t,o=D("span.difference",{title:`${r>0?"predicted too long":"predicted too short"}`}),a=D(`i.${r>0?"more":"less"}`,{});return a.style.width=`${100*Math.abs(r)/(s||1)}%`,o.append(a),D("tr",{},D("td",{},i),D("td",{},Mn(e)),D("td",{},Mn(t)),D("td",{},`${r>0?"+":r<0?"−":""}${Mn(Math.abs(r))}`),D("td",{},t>0?`${r>=0?"+":""}${wn(r/t,0)}`:"–"),D("td",{},n>0?wn(Math.abs(r)/n):"–"),D("td.wide",{},o))}function Dy(i,e){const t=Ly(e),n=D("div");if(i.append(D("h2",{},"Predicted beside measured"),n),t.length===0){const a=e.run.kind==="simulated"?`megascale serve RUN_DIR ${e.run.path}`:`megascale serve ${e.run.path} DIR`,l=`megascale simulate ${e.run.path}/config.toml --cluster FILE --keep DIR`;nt(n,D("p.muted",{},"Serve a measured and a simulated run of the same job together to see which op kinds the simulator predicts badly: ",e.run.kind==="simulated"?null:D("code",{},l),e.run.kind==="simulated"?null:", then ",D("code",{},a),"."));return}let s=t.find(a=>String(a.id)===e.parameters.get("beside"))??t[0];const r=D("div");nt(n,D("div.controls",{},xi(e.run.kind==="simulated"?"Measured run":"Simulated run",Di(t.map(a=>({value:String(a.id),label:a.name})),String(s.id),a=>{s=t.find(l=>String(l.id)===a),e.remember({beside:a}),o()}))),r);async function o(){try{const[a,l]=await Promise.all([pf(e.run),pf(s)]),[c,u]=e.run.kind==="simulated"?[a,l]:[l,a],h=(y,S)=>Py(y,y.columns.find(w=>w.key===S)),f=y=>({label:(u.columns.find(w=>w.key===y)??c.columns.find(w=>w.key===y)).label,predicted:h(c,y),measured:h(u,y)}),m=h(u,"step"),_=[...new Set([...u.columns,...c.columns].map(({key:y})=>y).filter(y=>y.startsWith("op.")))].map(f);_.sort((y,S)=>Math.abs(S.predicted-S.measured)-Math.abs(y.predicted-y.measured));const v=Math.max(..._.map(y=>Math.abs(y.predicted-y.measured))),d=y=>D("thead",{},D("tr",{},...[y,"Predicted","Measured","Difference","Of the kind","Of the step","Picture"].map(S=>D("th",{},S)))),p=Yd.map(f);nt(r,D("div.scroll",{tabindex:0,role:"region","aria-label":"Parts of the step"},D("table",{},d("Part of the step"),D("tbody",{},...p.map(y=>mf(y,m,Math.max(...p.map(S=>Math.abs(S.predicted-S.measured)))))))),D("h2",{},_.length>Al?`The ${Al} op kinds with the largest difference`:"Op kinds"),D("div.scroll",{tabindex:0,role:"region","aria-label":"Op kinds"},D("table",{},d("Op kind"),D("tbody",{},..._.slice(0,Al).map(y=>mf(y,m,v))))),D("p.muted",{},`Means over the recorded ranks of each stage: ${u.steps.length} measured steps of ${u.ranks.length} ranks, ${c.ranks.length} simulated ranks. megascale simulate --compare prints the medians.`))}catch(a){nt(r,rn("The two runs cannot be compared",a.message,"empty"))}}o()}function Uy(i,e){const t=D("div");return i.append(t),(async()=>{try{const n=await cn(`/api/runs/${e.run.id}/plan`),s=Math.max(...n.stages.map(a=>a.arena_bytes)),r=Object.keys(n.stages[0].memory).filter(a=>n.stages.some(l=>l.memory[a]>0)),o=e.run.job;nt(t,D("div.tiles",{},...[["Ranks",String(n.world_size),o?`data ${o.data} · tensor ${o.tensor} · context ${o.context} · pipeline ${o.pipeline}`:""],["Parameters",o?_i(o.parameters):"–",""],["FLOPs a step",_i(n.model_flops),`${_i(n.executed_flops)} executed`],["Largest arena",ri(s),"planned, exact"]].map(([a,l,c])=>D("div.tile",{},D("span.label",{},a),D("span.value",{},l),D("span.detail",{},c)))),D("h2",{},"Memory of a rank, by stage"),D("div.legend",{},...r.map((a,l)=>D("span",{},D(`i.memory-${l}`),a.replace("_"," ")))),...n.stages.map(a=>{const l=D("div.memory",{},D("span.name",{},`stage ${a.stage}`),D("span.muted",{},`${a.ranks} ranks from ${a.first_rank}, ${_i(a.tasks)} tasks`)),c=D("div.bar",{role:"img","aria-label":`stage ${a.stage}: ${ri(a.arena_bytes)}`});return r.forEach((u,h)=>{const f=D(`span.memory-${h}`,{title:`${u}: ${ri(a.memory[u])}`});f.style.width=`${100*a.memory[u]/s}%`,c.append(f)}),l.append(c,D("span",{},ri(a.arena_bytes))),l}),D("h2",{},"Bytes"),D("div.scroll",{tabindex:0,role:"region","aria-label":"Bytes by stage"},D("table",{},D("thead",{},D("tr",{},D("th",{},"Category"),...n.stages.map(a=>D("th",{},`stage ${a.stage}`)))),D("tbody",{},...r.map(a=>D("tr",{},D("td",{},a.replace("_"," ")),...n.stages.map(l=>D("td",{},ri(l.memory[a]))))))))),Dy(t,e)}catch(n){nt(t,rn("The plan cannot be made",n.message,"error"))}})(),{leave(){}}}const gf=1500,Iy=[{title:"Loss",unit:"nats",meaning:"nats a token",metrics:[{name:"loss",label:"train"},{name:"validation_loss",label:"validation"}]},{title:"Tokens per second",unit:"",meaning:"tokens of a step relative to its wall time",metrics:[{name:"tokens_per_second",label:"tokens/s"}]},{title:"Utilization",unit:"ratio",meaning:"FLOPs relative to the peak of all ranks",metrics:[{name:"mfu",label:"MFU"},{name:"hfu",label:"HFU"}]},{title:"Step time",unit:"seconds",meaning:"wall time of a step",metrics:[{name:"step_seconds",label:"step"},{name:"checkpoint_stall_seconds",label:"checkpoint stall"}]},{title:"Waiting of rank 0",unit:"seconds",meaning:"why the compute lane of rank 0 stood still",metrics:[{name:"exposed_comm_seconds",label:"exposed communication"},{name:"bubble_seconds",label:"bubble"},{name:"data_wait_seconds",label:"data"}]},{title:"Gradient norm",unit:"",meaning:"before clipping",metrics:[{name:"grad_norm",label:"norm"}]},{title:"Learning rate",unit:"",meaning:"of the step",metrics:[{name:"lr",label:"rate"}]}];class Ny{columns={step:[]};checkpoints=[];replace({columns:e,checkpoints:t}){this.columns={step:[],...e},this.checkpoints=t}append(e){const t=this.columns.step.length,n=e.step.length;for(const s of new Set([...Object.keys(this.columns),...Object.keys(e)]))(this.columns[s]??=Array(t).fill(null)).push(...e[s]??Array(n).fill(null));e.checkpoint_stall_seconds?.forEach((s,r)=>{s!==null&&this.checkpoints.push(e.step[r])})}get last_step(){return this.columns.step.at(-1)??0}}function Oy(i,e){const t=new Set((e.parameters.get("with")??"").split(",").filter(Boolean).map(Number)),n=D("div.tiles",{role:"group","aria-label":"Where the run stands"}),s=D("div.charts"),r=D("div.legend"),o=D("div",{});i.append(n,m(),o);let a=null,l=!1,c=[],u=[];const h=new Map,f=sa(()=>c.forEach(({chart:T})=>T.draw()));function m(){const T=e.runs.filter(R=>R.id!==e.run.id&&R.kind==="trained");return T.length===0?D("div"):D("fieldset.overlay",{},D("legend",{},"Lay over"),...T.map(R=>{const z=D("input",{type:"checkbox",checked:t.has(R.id)});return z.addEventListener("change",()=>{z.checked?t.add(R.id):t.delete(R.id),e.remember({with:t.size?[...t].join(","):null}),v()}),D("label",{},z,` ${R.name}`)}))}function _(){return e.runs.filter(T=>T.id===e.run.id||t.has(T.id))}async function v(){a?.close();try{for(const T of _()){const R=await cn(`/api/runs/${T.id}/metrics?points=${gf}`),z=h.get(T.id)??new Ny;z.replace(R),h.set(T.id,z)}}catch(T){l||nt(o,rn("Metrics cannot be read",T.message,"error"));return}e.run.has_job&&(u=await cn(`/api/runs/${e.run.id}/job`).then(T=>T.incidents,()=>[])),!l&&(p(),H())}function d(){return[...h.get(e.run.id).checkpoints.map(T=>({step:T,kind:"checkpoint"})),...u.filter(({step:T})=>T>=0).map(({step:T})=>({step:T,kind:"incident"}))]}function p(){if(c.forEach(({chart:T})=>T.destroy()),c=[],h.get(e.run.id).columns.step.length===0){nt(o,e.run.kind==="simulated"?rn("A simulated step has no metrics","Open Heat map, Timeline or Plan: they show the simulated records."):e.run.kind==="measured"?rn("No metrics","A training writes them with its first step, megascale bench step writes none. Heat map, 3D, Timeline and Plan show the records."):e.run.kind==="empty"?rn("This directory holds no run",`Start one with train.run_dir=${e.run.path}, or serve another directory.`):rn("No step has ended yet","Metrics appear here with the first step."));return}s.replaceChildren();for(const T of Iy){const R=T.metrics.filter(({name:x})=>_().some(N=>h.get(N.id)?.columns[x]?.some(G=>G!==null)));if(R.length===0)continue;const z=[];_().forEach((x,N)=>R.forEach(({label:G},U)=>z.push({label:_().length>1?`${x.name} ${G}`:G,colour:`--series-${(N*R.length+U)%6+1}`,dashed:N>0})));const b=new $d(T.title,T.unit,z,T.log,T.meaning);s.append(b.element),c.push({plot:{...T,metrics:R},chart:b})}nt(o,r,s),S()}function y(T){const R=_().map(N=>h.get(N.id).columns);if(R.length===1)return[R[0].step,...T.metrics.map(({name:N})=>R[0][N]??[])];const z=[...new Set(R.flatMap(N=>N.step))].sort((N,G)=>N-G),b=new Map(z.map((N,G)=>[N,G])),x=R.flatMap(N=>T.metrics.map(({name:G})=>{const U=Array(z.length).fill(null);return N[G]?.forEach((j,X)=>U[b.get(N.step[X])]=j),U}));return[z,...x]}function S(){const T=d();for(const{plot:R,chart:z}of c)z.set_marks(T),z.set(y(R));nt(r,T.some(({kind:R})=>R==="checkpoint")?D("span",{},D("i.mark.checkpoint"),`${h.get(e.run.id).checkpoints.length} checkpoints`):null,T.some(({kind:R})=>R==="incident")?D("span",{},D("i.mark.incident"),`${u.length} incidents: the page Cluster lists them`):null),w()}function w(){const T=h.get(e.run.id).columns,R=e.run.job,z=Y=>T[Y]?.at(-1)??null,b=h.get(e.run.id).last_step,x=(T.step_seconds??[]).slice(-50).filter(Y=>Y!==null).sort((Y,fe)=>Y-fe),N=x[Math.floor(x.length/2)],G=(Y,fe,P="")=>D("div.tile",{},D("span.label",{},Y),D("span.value",{},fe),D("span.detail",{},P)),U=[];if(R){const Y=Math.min(1,b/R.train_iters),fe=G("Step",`${b.toLocaleString("en")}`,`of ${R.train_iters.toLocaleString("en")}`);fe.append(D("progress",{max:1,value:Y,"aria-label":"Progress"})),U.push(fe),b<R.train_iters&&N&&U.push(G("Time left",gs((R.train_iters-b)*N),"at the median of the last 50 steps"))}const j=z("loss"),X=z("tokens_per_second"),ie=z("mfu"),ee=z("memory_bytes"),te=z("consumed_tokens");j!==null&&U.push(G("Loss",j.toFixed(4),`perplexity ${_i(Math.exp(j))}`)),X!==null&&U.push(G("Tokens/s",_i(X),te!==null?`${_i(te)} so far`:"")),ie!==null&&U.push(G("MFU",wn(ie),z("hfu")!==null?`HFU ${wn(z("hfu"))}`:"")),N&&U.push(G("Step time",Mn(N),"median of 50")),ee!==null&&U.push(G("Memory",ri(ee),"largest arena"));const K=z("skipped_steps");K&&U.push(G("Skipped steps",String(K),"loss or norm not finite")),R&&U.push(G("Ranks",String(R.world_size),`data ${R.data} · tensor ${R.tensor} · context ${R.context} · pipeline ${R.pipeline}`)),nt(n,...U)}function H(){const T=h.get(e.run.id);a=new EventSource(`/api/runs/${e.run.id}/stream?after=${T.last_step}`),a.addEventListener("metrics",R=>{const{columns:z}=JSON.parse(R.data),b=T.columns.step.length===0;T.append(z),T.columns.step.length>3*gf?v():b?p():S()}),a.addEventListener("reset",()=>void v())}return v(),{leave(){l=!0,a?.close(),f(),c.forEach(({chart:T})=>T.destroy())}}}function Qr(i){return i.lane.start[i.index]}function zo(i,e){let t=0,n=i.end.length;for(;t<n;){const s=t+n>>1;i.end[s]>e?n=s:t=s+1}return t}function Rl(i,e,t){for(const n of i.ranks[e].lanes){const s=n.id.indexOf(t);if(s>=0)return{rank:e,lane:n,index:s}}return null}function _f(i,e){const t=e.lane.group?.[e.index];if(!t)return[];let n=0;for(let r=0;r<e.index;++r)e.lane.group[r]===t&&++n;const s=[];return i.ranks.forEach((r,o)=>{if(o!==e.rank)for(const a of r.lanes){let l=0;const c=a.group?.findIndex(u=>u===t&&l++===n)??-1;c>=0&&s.push({rank:o,lane:a,index:c})}}),s}function vf(i,e){const t=e.lane.id[e.index],n=[];for(const s of i.ranks[e.rank].lanes)s.awaited.forEach((r,o)=>{r===t&&n.push({rank:e.rank,lane:s,index:o})});return n}function xf(i){return i.reduce((e,t)=>Qr(t)>Qr(e)?t:e)}function Fy(i,{rank:e,lane:t,index:n}){const s=i.plans[i.ranks[e].plan],r=t.id[n],o=m=>(t.end[m]-(t.group?t.matched[m]:t.start[m]))*1e-9,a=o(n),l=[];if(a<=0)return l;let c=0;const u=s.flops[r]>0?s.flops:s.bytes;t.id.forEach((m,_)=>{s.op[m]===s.op[r]&&o(_)>0&&(c=Math.max(c,u[m]/o(_)))});const h=`${wn(u[r]/a/(c||1),0)} of the fastest ${s.ops[s.op[r]]} here`,f=i.peak_flops;return s.flops[r]>0&&l.push(["FLOPs",`${_i(s.flops[r])}FLOP, ${_i(s.flops[r]/a)}FLOP/s: ${f?`${wn(s.flops[r]/a/f)} of the peak, `:""}${h}`]),s.bytes[r]>0&&l.push([t.group?"Bytes moved":"Bytes of operands",`${ri(s.bytes[r])}, ${ri(s.bytes[r]/a)}/s${s.flops[r]>0?"":`: ${h}`}`]),l}const ni=18,Mf=24,an=150,Sf=24,ky=200,yf={exposed_comm:"exposed communication",bubble:"bubble",data_wait:"wait for data"},By=16;function zy(i,e,t,n,s,r){const o=s(Qr(e)),a=s(t.lane.matched[t.index]),l=r(e),c=r(t);i.strokeStyle=i.fillStyle=kt(n),i.lineWidth=2,i.beginPath(),i.moveTo(o,l),i.bezierCurveTo(o+18,l+(c-l)/3,a+18,c-(c-l)/3,a,c),i.stroke(),i.beginPath(),i.arc(a,c,3.5,0,7),i.fill()}function Hy(i,e){let t=null,n=0,s=1,r=[],o=null,a=!1,l=null;const c=D("div.controls"),u=D("canvas",{tabindex:0,role:"application","aria-label":"Timeline. Keys a and d move, w and s zoom, arrows go from task to task."}),h=D("div.timeline",{},u),f=D("section.panel.details",{"aria-live":"polite"}),m=D("div.legend",{"aria-hidden":"true"}),_=D("div");i.append(c,_,h,m,f);const v=sa(()=>T()),d=new ResizeObserver(()=>T());d.observe(h);const p=()=>h.clientWidth,y=P=>an+(P-n)/(s-n)*(p()-an),S=P=>n+(P-an)/(p()-an)*(s-n);function w(){r=[];let P=Sf;return t.ranks.forEach((V,I)=>{r.push({rank:I,lane:null,y:P}),P+=Mf;for(const Z of V.lanes)r.push({rank:I,lane:Z,y:P}),P+=ni;P+=6}),P}function H(P,V){return t.plans[t.ranks[P].plan].name[V]}function T(){if(!t||a||p()===0)return;const P=w(),V=devicePixelRatio||1;u.width=Math.floor(p()*V),u.height=Math.floor(P*V),u.style.width=`${p()}px`,u.style.height=`${P}px`;const I=u.getContext("2d");I.scale(V,V),I.font="11px system-ui, sans-serif",I.textBaseline="middle",R(I,P),I.save(),I.beginPath(),I.rect(an,0,p()-an,P),I.clip();for(const Z of r)Z.lane&&z(I,Z);b(I),I.restore();for(const Z of r){const le=t.ranks[Z.rank];I.textAlign="left",I.fillStyle=kt(Z.lane?"--muted":"--text"),I.font=`${Z.lane?"":"600 "}11px system-ui, sans-serif`;const B=Z.lane?Z.lane.lane:`rank ${le.rank}${le.host?` · ${le.host}`:""}`;I.fillText(B,Z.lane?14:2,Z.y+(Z.lane?ni/2:Mf/2+2),an-18)}}function R(P,V){const I=(s-n)/Math.max(2,(p()-an)/110),Z=10**Math.floor(Math.log10(I)),le=[1,2,5,10].map(B=>B*Z).find(B=>B>=I);P.strokeStyle=kt("--grid"),P.fillStyle=kt("--muted"),P.textAlign="center",P.lineWidth=1;for(let B=Math.ceil(n/le)*le;B<=s;B+=le){const se=Math.round(y(B))+.5;se<an||(P.beginPath(),P.moveTo(se,Sf-6),P.lineTo(se,V),P.stroke(),P.fillText(Mn(B*1e-9),se,8))}}function z(P,V){const{lane:I,y:Z}=V,le=t.ranks[V.rank],B=t.plans[le.plan];if(P.fillStyle=kt("--track"),P.fillRect(an,Z+1,p()-an,ni-2),I.lane==="compute")for(const q of le.idle){if(q.to<n||q.from>s)continue;P.fillStyle=kt(Cp[q.cause]);const F=y(q.from);P.fillRect(F,Z+4,Math.max(.5,y(q.to)-F),ni-8)}let se=-1;for(let q=zo(I,n);q<I.start.length&&I.start[q]<s;++q){const F=y(I.start[q]),ve=y(I.end[q]);if(ve<se+.5)continue;const ge=B.op[I.id[q]];I.matched[q]>I.start[q]&&(P.fillStyle=kt("--waiting"),P.fillRect(F,Z+2,Math.max(.5,y(I.matched[q])-F),ni-4));const Re=I.matched[q]>I.start[q]?y(I.matched[q]):F;P.fillStyle=Rp(ge);const Me=Math.max(.6,ve-Re);P.fillRect(Re,Z+2,Me,ni-4),se=ve,Me>46&&(P.fillStyle="#fff",P.textAlign="left",P.save(),P.beginPath(),P.rect(Math.max(Re,an),Z,ve-Math.max(Re,an),ni),P.clip(),P.fillText(Me>180?B.name[I.id[q]]:B.ops[ge],Math.max(Re,an)+4,Z+ni/2),P.restore())}if(o&&o.rank===V.rank&&o.lane===I){const q=y(I.start[o.index]);P.strokeStyle=kt("--text"),P.lineWidth=2,P.strokeRect(q,Z+1,Math.max(2,y(I.end[o.index])-q),ni-2)}}function b(P){if(!o)return;const V=q=>r.find(F=>F.rank===q.rank&&F.lane===q.lane).y+ni/2,I=(q,F,ve)=>{const ge=y(q.lane.end[q.index]),Re=y(F.lane.start[F.index]),Me=V(q),Ce=V(F);P.strokeStyle=kt(ve),P.lineWidth=1.5,P.beginPath(),P.moveTo(ge,Me),P.bezierCurveTo(ge+24,Me,Re-24,Ce,Re,Ce),P.stroke(),P.beginPath(),P.arc(Re,Ce,3,0,7),P.fillStyle=P.strokeStyle,P.fill()},Z=o.lane.awaited[o.index],le=Z>=0?Rl(t,o.rank,Z):null;le&&I(le,o,"--edge-in"),vf(t,o).slice(0,50).forEach(q=>I(o,q,"--edge-out"));const B=_f(t,o);for(const q of B)P.strokeStyle=kt("--edge-partner"),P.setLineDash([4,3]),P.beginPath(),P.moveTo(y(o.lane.matched[o.index]),V(o)),P.lineTo(y(q.lane.matched[q.index]),V(q)),P.stroke(),P.setLineDash([]);const se=xf([o,...B]);for(const q of se===o?B:B.length?[o]:[])q!==se&&Qr(q)<Qr(se)&&zy(P,se,q,se===o?"--edge-out":"--edge-in",y,V)}function x(P,V=!1){if(o=P,P&&V){const I=P.lane.start[P.index],Z=P.lane.end[P.index];(I<n||Z>s)&&U((I+Z)/2-(s-n)/2,(I+Z)/2+(s-n)/2)}T(),N()}function N(){if(!o){nt(f,D("p.muted",{},"Select a task to see what it waited for and what waited for it."));return}const{lane:P,index:V,rank:I}=o,Z=P.id[V],le=t.plans[t.ranks[I].plan],B=P.end[V]-P.start[V],se=P.end[V]-P.matched[V],q=[["Op",le.ops[le.op[Z]]],["Rank, lane",`${t.ranks[I].rank}, ${P.lane}`],["Took",Mn(B*1e-9)],["Waited before",Mn((P.start[V]-P.head[V])*1e-9)]];P.group&&q.push(["Waited for partners",Mn((P.matched[V]-P.start[V])*1e-9)],["Bytes moved for",Mn(se*1e-9)],["Group",P.group[V]]),q.push(...Fy(t,o));const F=Ne=>D("button.link",{onclick:()=>x(Ne,!0)},`${H(Ne.rank,Ne.lane.id[Ne.index])}${Ne.rank===I?"":` (rank ${t.ranks[Ne.rank].rank})`}`),ve=P.awaited[V],ge=ve>=0?Rl(t,I,ve):null;q.push(["Waited for",ge?F(ge):"nothing: its lane was next"]);const Re=vf(t,o);Re.length&&q.push(["Waited for this",D("span",{},...Re.slice(0,6).flatMap(Ne=>[F(Ne)," "]),Re.length>6?`and ${Re.length-6} more`:null)]);const Me=_f(t,o),Ce=xf([o,...Me]);Me.length&&Ce!==o&&se<B&&q.push(["Waited across ranks for",F(Ce)]),Me.length&&Ce===o&&q.push(["The others waited for","this rank: it started last"]),P.group&&Me.length===0&&q.push(["Partners",D("button.link",{onclick:()=>void G(o)},"show their ranks")]),Me.length&&q.push(["Partners",D("span",{},...Me.slice(0,8).flatMap(Ne=>[F(Ne)," "]))]),nt(f,D("h2",{},le.name[Z]),D("dl.facts",{},...q.flatMap(([Ne,qe])=>[D("dt",{},Ne),D("dd",{},qe)]))),pr(`${le.name[Z]}, ${Mn(B*1e-9)}`)}async function G(P){const V=t.ranks[P.rank].rank,I=P.lane.group[P.index],Z=P.lane.id[P.index],B=(await cn(`/api/runs/${e.run.id}/peers?rank=${V}`)).groups.find(Ce=>Ce.key===I)?.members??[],se=new Set(l.ranks.map(Ce=>Ce.rank)),q=B.indexOf(V),F=B.filter(Ce=>se.has(Ce)).sort((Ce,Ne)=>Math.abs(B.indexOf(Ce)-q)-Math.abs(B.indexOf(Ne)-q)).slice(0,By);if(a||F.length<2)return pr("the partners have no records");const[ve,ge]=[n,s],Re=[...new Set([...t.ranks.map(Ce=>Ce.rank),...F])].sort((Ce,Ne)=>Ce-Ne);e.remember({ranks:Re.join(","),step:String(t.step)}),c.querySelector("input").value=Re.join(","),await Y();const Me=t?t.ranks.findIndex(Ce=>Ce.rank===V):-1;Me<0||(x(Rl(t,Me,Z)),U(ve,ge))}function U(P,V){const I=Math.min(Math.max(V-P,ky),t.end);n=Math.min(Math.max(0,P),t.end-I),s=n+I,T()}function j(P,V=(n+s)/2){U(V-(V-n)*P,V+(s-V)*P)}function X(P){const V=u.getBoundingClientRect(),I=P.clientX-V.left,Z=P.clientY-V.top,le=r.find(q=>q.lane&&Z>=q.y&&Z<q.y+ni);if(!le?.lane||I<an)return null;const B=(s-n)/(p()-an)*2,se=zo(le.lane,S(I)-B);return se<le.lane.start.length&&le.lane.start[se]<=S(I)+B?{rank:le.rank,lane:le.lane,index:se}:null}u.addEventListener("wheel",P=>{if(!t||P.shiftKey)return;P.preventDefault();const V=u.getBoundingClientRect();Math.abs(P.deltaX)>Math.abs(P.deltaY)?U(n+P.deltaX*(s-n)/p(),s+P.deltaX*(s-n)/p()):j(Math.exp(P.deltaY*.0016),S(P.clientX-V.left))},{passive:!1});let ie=null;u.addEventListener("pointerdown",P=>{ie={x:P.clientX,from:n,to:s,moved:!1},u.setPointerCapture(P.pointerId)}),u.addEventListener("pointermove",P=>{if(!t)return;if(!ie){const I=X(P);u.title=I?`${H(I.rank,I.lane.id[I.index])}  ${Mn((I.lane.end[I.index]-I.lane.start[I.index])*1e-9)}`:"";return}const V=(ie.x-P.clientX)/(p()-an)*(ie.to-ie.from);Math.abs(ie.x-P.clientX)>3&&(ie.moved=!0),ie.moved&&U(ie.from+V,ie.to+V)}),u.addEventListener("pointerup",P=>{ie&&!ie.moved&&t&&x(X(P)),ie=null}),u.addEventListener("dblclick",P=>{const V=t?X(P):null;V&&U(V.lane.start[V.index],V.lane.end[V.index])});function ee(P){if(!t)return!1;const V=s-n;switch(P.key){case"a":return U(n-.2*V,s-.2*V),!0;case"d":return U(n+.2*V,s+.2*V),!0;case"w":return j(.7),!0;case"s":return j(1.4),!0;case"0":return U(0,t.end),!0;case"Escape":return x(null),!0;case"ArrowLeft":case"ArrowRight":{const I=P.key==="ArrowRight"?1:-1,Z=o?.lane??t.ranks[0].lanes[0],le=o?o.index+I:zo(Z,n);return Z.id[le]!==void 0&&x({rank:o?.rank??0,lane:Z,index:le},!0),!0}case"ArrowUp":case"ArrowDown":{const I=r.filter(se=>se.lane),Z=o?I.findIndex(se=>se.rank===o.rank&&se.lane===o.lane):-1,le=I[Z+(P.key==="ArrowDown"?1:-1)];if(!le?.lane)return!0;const B=o?o.lane.start[o.index]:n;return x({rank:le.rank,lane:le.lane,index:Math.min(zo(le.lane,B),le.lane.id.length-1)},!0),!0}default:return!1}}function te(P,V){const I=["tensor","context","data","pipeline"];return l.ranks.filter(Z=>I.every(le=>le===V||Z.at[le]===P.at[le])).map(Z=>Z.rank)}function K(){const P=e.parameters.get("ranks")??String(l.ranks[0].rank),V=D("input",{value:P,size:16,spellcheck:"false",placeholder:"0-3,8"});V.addEventListener("change",()=>{e.remember({ranks:V.value}),Y()});const I=Di(l.steps.slice().reverse().slice(0,64).map(le=>({value:String(le),label:String(le)})),e.parameters.get("step")??"",le=>{e.remember({step:le}),Y()}),Z=Di([{value:"",label:"choose …"},...["pipeline","data","tensor","context"].map(le=>({value:le,label:`${le} group`}))],"",le=>{const B=Number.parseInt(V.value,10),se=l.ranks.find(q=>q.rank===B)??l.ranks[0];le&&(V.value=te(se,le).join(","),e.remember({ranks:V.value}),Y())});nt(c,xi("Ranks",V),xi("Their group",Z),xi("Step",I),D("button",{onclick:()=>t&&U(0,t.end),title:"Key 0"},"Whole step"),D("button",{onclick:()=>void Y()},"Newest step"),D("span.muted",{title:"Writes a trace that ui.perfetto.dev opens"},"Perfetto: ",D("code",{},`megascale trace ${e.run.path}`))),c.querySelectorAll("button")[1].addEventListener("click",()=>e.remember({step:null}),{capture:!0})}async function Y(){const P=e.parameters.get("ranks")??String(l.ranks[0].rank),V=e.parameters.get("step");try{const I=await cn(`/api/runs/${e.run.id}/timeline?ranks=${encodeURIComponent(P)}${V?`&step=${V}`:""}`);if(a)return;t=I,o=null,_.replaceChildren(),n=0,s=I.end,h.hidden=m.hidden=f.hidden=!1,nt(m,D("span",{},`step ${I.step}, ${Mn(I.end*1e-9)}`),...Object.keys(yf).map(Z=>D("span",{},D(`i.${Z}`),yf[Z])),D("span",{},D("i.waiting"),"waits for a partner")),T(),N()}catch(I){if(a)return;h.hidden=m.hidden=f.hidden=!0,nt(_,rn("This step cannot be shown",I.message,I.status===404?"empty":"error"))}}async function fe(){try{l=await cn(`/api/runs/${e.run.id}/ranks?steps=64&columns=`)}catch(P){h.hidden=!0,nt(_,rn("No records of ranks",P.message,P.status===404?"empty":"error"));return}a||(K(),await Y())}return fe(),{leave(){a=!0,d.disconnect(),v()},key:ee}}const eo=[{name:"run",title:"Run",show:Oy},{name:"ranks",title:"Heat map",show:Ry},{name:"timeline",title:"Timeline",show:Hy},{name:"grid",title:"3D",show:RM},{name:"plan",title:"Plan",show:Uy},{name:"cluster",title:"Cluster",show:xp}],jl=document.getElementById("bar"),Xo=document.getElementById("page");let bn=[],$o=null;function ia(){const[i="",e=""]=location.hash.replace(/^#\/?/,"").split("?"),[t="0",n="run"]=i.split("/");return{run:Math.max(0,bn.findIndex(s=>String(s.id)===t)),page:eo.some(s=>s.name===n)?n:"run",parameters:new URLSearchParams(e)}}function bs(i,e,t){const n=t?.toString();return`#/${i}/${e}${n?`?${n}`:""}`}function qd(i,e){const t=i.kind==="trained"&&(i.age_seconds??1/0)<60,n=i.kind==="simulated"?"simulated":i.kind==="measured"?"no metrics":t?"live":i.kind==="empty"?"empty":"not writing";nt(jl,D("a.brand",{href:bs(i.id,"run")},"megascale"),bn.length>1?D("label.field.inline",{},D("span.unseen",{},"Run"),Di(bn.map(s=>({value:String(s.id),label:s.name})),String(i.id),s=>{location.hash=bs(Number(s),e)})):D("span.run",{title:i.path},i.name),D(`span.state.${n.replace(" ","-")}`,{},n),D("nav",{"aria-label":"Pages"},...eo.map((s,r)=>D("a",{href:bs(i.id,s.name),"aria-current":s.name===e?"page":void 0,title:`Key ${r+1}`},s.title))),D("button.plain",{onclick:Af,title:"Light or dark (key t)","aria-label":"Light or dark"},"◐"),D("button.plain",{onclick:Kd,title:"Keys (key ?)","aria-label":"Keys"},"?"))}function Ef(){const{run:i,page:e,parameters:t}=ia(),n=bn[i];if($o?.leave(),$o=null,!n)return;qd(n,e);const s=eo.find(o=>o.name===e);document.title=`${n.name} · ${s.title} · megascale`;const r={runs:bn,run:n,parameters:t,remember(o){for(const[a,l]of Object.entries(o))l===null?t.delete(a):t.set(a,l);history.replaceState(null,"",bs(n.id,e,t))},go(o,a={}){location.hash=bs(n.id,o,new URLSearchParams(a))}};nt(Xo,D("h1.unseen",{},`${s.title} of ${n.name}`)),Xo.className=`page-${e}`,$o=s.show(Xo,r),pr(`${s.title} of ${n.name}`)}function Kd(){const i=[["1 to 6","pages"],["t","light or dark"],["[ and ]","previous and next run"],["arrows, Enter","heat map: choose a rank, open it"],["arrows, Page Up, Page Down","3D: choose a rank"],["w s","3D: zoom"],["a d, w s","timeline: move, zoom"],["0","timeline: the whole step; 3D: the whole grid"],["Esc","close"]],e=D("dialog",{"aria-label":"Keys"},D("h2",{},"Keys"),D("dl.keys",{},...i.flatMap(([t,n])=>[D("dt",{},t),D("dd",{},n)])),D("button",{onclick:()=>e.close()},"Close"));e.addEventListener("close",()=>e.remove()),document.body.append(e),e.showModal()}function Vy(i){const e=i.target;if(i.ctrlKey||i.metaKey||i.altKey||document.querySelector("dialog[open]")||/^(INPUT|SELECT|TEXTAREA)$/.test(e.tagName))return;if($o?.key?.(i))return i.preventDefault();const{run:t,parameters:n}=ia(),s=bn[t],r=Number(i.key);if(s&&r>=1&&r<=eo.length)location.hash=bs(s.id,eo[r-1].name);else if(i.key==="t")Af();else if(i.key==="?")Kd();else if((i.key==="["||i.key==="]")&&bn.length>1){const o=(t+(i.key==="]"?1:bn.length-1))%bn.length;location.hash=bs(bn[o].id,ia().page,n)}}async function Gy(){gp();try{bn=(await cn("/api/runs")).runs}catch(i){const e=i;nt(Xo,rn(e.status===401?"No access":"No connection",e.message,"error"));return}addEventListener("hashchange",Ef),addEventListener("keydown",Vy),Ef(),setInterval(async()=>{try{const i=(await cn("/api/runs")).runs;for(const n of i)Object.assign(bn.find(s=>s.id===n.id)??{},n);const{run:e,page:t}=ia();bn[e]&&!jl.contains(document.activeElement)&&qd(bn[e],t)}catch{const i=jl.querySelector(".state");i&&(i.className="state lost",i.textContent="server gone")}},5e3)}Gy();
